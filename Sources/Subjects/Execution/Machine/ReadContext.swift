import ClientProtocol
package import Model
package import Searching
package import Store

/// The arguments of a reading use case.
///
/// - Confinement: store (a reader's thread)
package struct ReadContext {
    package let transaction: Transaction
    package let actor: Actor
    package let now: Timestamp
    package let collections: TopicCollections
    package let rules: RulesInForce
    /// Members of the documents of users that `chats` shows.
    package let profile: [String]
    /// The index of messages; nil on a server without search.
    package let search: SearchReader?

    package init(
        transaction: Transaction,
        actor: Actor,
        now: Timestamp,
        collections: TopicCollections,
        rules: RulesInForce = RulesInForce(),
        profile: [String] = [],
        search: SearchReader? = nil
    ) {
        self.search = search
        self.profile = profile
        self.rules = rules
        self.transaction = transaction
        self.actor = actor
        self.now = now
        self.collections = collections
    }

    /// The rights of the asking user on documents.
    package var documentRights: DocumentRights {
        get throws { try DocumentRights(rules, collections, in: transaction) }
    }

    /// The asking user.
    ///
    /// - Throws: `Refusal` when no user asks.
    package func user() throws -> UserEntry {
        guard case .user(let id, _, _) = actor, let user = try transaction.users.find(id) else {
            throw Refusal(.forbidden, "only users may do this, and the subject of the token is not a user id")
        }
        return user
    }
}
