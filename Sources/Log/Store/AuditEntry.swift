package import Model

/// The sender of a request, by kind: the same name may be a user's, a program's and that of somebody at the command line.
///
/// - Confinement: any
package enum ActorKind: String, Sendable, CaseIterable {
    /// A token without a scope of operators.
    case user
    /// A token with one: an administrator or a program.
    case `operator`
    /// A server with the same secret.
    case server
    /// `watchwise`, run by the person whom the row names.
    case commandLine = "command line"
}

/// A request of an administrator, as the audit keeps it.
///
/// An object, so that a write that is nobody's pays one empty word for it.
///
/// - Confinement: any
package final class AuditNote: Sendable {
    /// Nil in rows of earlier versions.
    package let kind: ActorKind?
    /// The subject of the token, or who ran the command line; and the token's id. While the row is kept nothing changes it.
    package let actor: String
    package let tokenID: String?
    /// Where the request came from, as far as trusted proxies say.
    package let address: String
    /// The id of the request, which its answer and the log bear as well.
    package let request: String
    /// One of the names in the table of routes.
    package let action: String
    /// The path of the thing, without the version of the API: `users/alice`, `documents/products/7`.
    package let target: String
    /// A short JSON object of what the request asks for; never texts for people, tokens or keys.
    package let detail: String?

    /// A longer detail is left out.
    package static let detailBytesMax = 4096

    package init(
        _ kind: ActorKind?, actor: String, tokenID: String?, address: String, request: String, action: String,
        target: String, detail: String?
    ) {
        self.kind = kind
        self.actor = actor
        self.tokenID = tokenID
        self.address = address
        self.request = request
        self.action = action
        self.target = target
        self.detail = detail.flatMap { $0.utf8.count <= Self.detailBytesMax ? $0 : nil }
    }

    /// The same with another target or detail.
    package func with(target: String? = nil, detail: String? = nil) -> AuditNote {
        AuditNote(
            kind, actor: actor, tokenID: tokenID, address: address, request: request, action: action,
            target: target ?? self.target, detail: detail ?? self.detail)
    }
}

/// How a request of an administrator ended.
///
/// - Confinement: any
package enum AuditOutcome: Sendable, Hashable {
    case done
    /// Its key says that it was done before: it changed nothing, and got the first answer again.
    case repeated
    /// It was refused with this code.
    case refused(String)

    package var text: String {
        switch self {
        case .done: "ok"
        case .repeated: "repeated"
        case .refused(let code): code
        }
    }
}

/// A row of the audit.
///
/// - Confinement: any
package struct AuditEntry: Sendable {
    package let id: Int64
    package let at: Timestamp
    package let note: AuditNote
    /// The text of an ``AuditOutcome``.
    package let outcome: String

    static let insertSQL = """
        INSERT INTO audit(at, kind, actor, jti, address, request, action, target, detail, outcome)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

/// The rows of the audit that a page wants; nil wants all.
///
/// - Confinement: any
package struct AuditFilter: Sendable {
    package let actor: String?
    package let action: String?
    package let target: String?

    package init(actor: String? = nil, action: String? = nil, target: String? = nil) {
        self.actor = actor
        self.action = action
        self.target = target
    }
}
