/// A request of one server to another one that has the same secret. Its token opens this alone: it is nobody's token elsewhere, and
/// no operator's.
///
/// The address of the other server may come over a network where others speak as well, so the token says no more than it must.
/// Only the secret grants these words, never a foreign issuer.
/// - Confinement: any
package enum NodeErrand: String, Sendable, Hashable, CaseIterable {
    /// A node without a database fetches the copy of another node.
    case join = "node:join"

    /// For how long a token opens it. A copy that has begun may take longer.
    package static let tokenMilliseconds: Int64 = 60_000
}

extension Claims {
    /// The errand of a node's token; nil for every other token.
    package var errand: NodeErrand? { NodeErrand.allCases.first { scopes.contains($0.rawValue) } }
}
