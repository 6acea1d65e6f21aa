/// A word of a token's claim `scope` that opens a part of what operators may do.
/// - Confinement: any
package enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Everything.
    case admin
    /// Every read of the admin API, except the contents of chats, backups and exports.
    case read = "admin:read"
    /// Documents, publishing, broadcasts.
    case publish = "admin:publish"
    /// Reports, restrictions, rooms, the deletion of messages.
    case moderate = "admin:moderate"
    /// Triggers, rules, feeds, webhooks, dead letters, devices, revocations, nodes.
    case operate = "admin:operate"
    /// Backups, exports, erasures.
    case data = "admin:data"
    /// `/metrics` alone.
    case metrics

    /// The words, for help texts and refusals.
    package static let list = allCases.map(\.rawValue).joined(separator: ", ")
}

extension Claims {
    /// The word that lets a token with a scope of operators be a user's all the same. It opens nothing else.
    package static let userScope = "user"

    /// Whether the bearer has any scope of operators.
    package var isOfOperator: Bool { Scope.allCases.contains { scopes.contains($0.rawValue) } }

    /// Whether the bearer may begin sessions and send commands in the name of the subject. The token of a program may not:
    /// where it leaks, it opens what its scope says and nothing more.
    package var isOfUser: Bool { !isOfOperator || scopes.contains(Self.userScope) }

    /// Whether a scope is open to the bearer. `admin` opens all, and the figures are among what `admin:read` reads.
    package func opens(_ scope: Scope) -> Bool {
        scopes.contains(scope.rawValue) || isAdmin || (scope == .metrics && scopes.contains(Scope.read.rawValue))
    }
}
