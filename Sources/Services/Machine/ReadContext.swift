import ClientProtocol
package import Model
package import Store

/// What a reading use case is given.
///
/// - Confinement: store (a reader's thread)
package struct ReadContext {
    package let transaction: Transaction
    package let actor: Actor
    package let now: Timestamp
    package let collections: TopicCollections
    package let rules: RulesInForce

    package init(
        transaction: Transaction,
        actor: Actor,
        now: Timestamp,
        collections: TopicCollections,
        rules: RulesInForce = RulesInForce()
    ) {
        self.rules = rules
        self.transaction = transaction
        self.actor = actor
        self.now = now
        self.collections = collections
    }

    /// The user who asks.
    ///
    /// - Throws: `Refusal` when it is not a user who asks.
    func user() throws -> UserEntry {
        guard case .user(let id, _, _) = actor, let user = try transaction.users.find(id) else {
            throw Refusal(.forbidden, "only users may do this, and the subject of the token is not a user id")
        }
        return user
    }
}
