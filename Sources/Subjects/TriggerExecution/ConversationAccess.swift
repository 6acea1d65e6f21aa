package import ClientProtocol
package import JSON
import Model

/// Whether a trial or a replay of a trigger may read what people wrote to each other, below `chats` and
/// `recommendations`. As everywhere, that needs the scope `admin` and a reason, which the audit keeps.
///
/// - Confinement: any
package enum ConversationAccess: Sendable, Hashable {
    case allowed, lacksScope, lacksReason

    /// - Parameter reason: as the request gives it; nil where it gives none.
    /// - Throws: `Refusal` for a reason of another form.
    package init(isAdmin: Bool, reason: JSONValue?) throws(Refusal) {
        let isGiven = reason.map { !$0.isNull } ?? false
        let characters = reason?.stringValue?.unicodeScalars.count ?? 0
        guard !isGiven || (1...Limits.auditReasonCharactersMax).contains(characters) else {
            throw Refusal.badRequest(
                field: "reason", "must be a text of 1 to \(Limits.auditReasonCharactersMax) characters")
        }
        self = !isAdmin ? .lacksScope : isGiven ? .allowed : .lacksReason
    }

    /// Checks that documents of a collection may be read.
    ///
    /// - Parameter collection: the first one of their paths.
    /// - Throws: `Refusal`: `forbidden`, or `bad-request` where the reason is missing.
    func check(_ collection: String?) throws(Refusal) {
        guard let collection, DocumentPath.commandCollections.contains(collection) else { return }
        let what = "below \(collection) is what people wrote to each other"
        switch self {
        case .allowed: return
        case .lacksScope: throw Refusal(.forbidden, "\(what): this needs a token with the scope admin, and a reason")
        case .lacksReason:
            throw Refusal.badRequest(
                field: "reason",
                "is required: a text of 1 to \(Limits.auditReasonCharactersMax) characters, kept in the audit, since "
                    + what)
        }
    }
}
