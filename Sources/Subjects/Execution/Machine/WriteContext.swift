import ClientProtocol
package import Model
package import Store

/// The arguments of a writing use case: the transaction, the actor, the time of the request, and the rules and triggers in
/// memory.
///
/// - Confinement: store
package final class WriteContext {
    package let transaction: WriteTransaction
    package let actor: Actor
    /// When the server took in the command; the same if the command is applied again from a journal.
    package let now: Timestamp
    package let engine: TriggerEngine
    package let collections: TopicCollections
    package let rules: RulesInForce
    package let watched: WatchedStreams
    let restraint: Restraint
    /// Whether chat messages are pushed.
    package let pushesMessages: Bool
    /// How long its author may edit a message.
    package let editMilliseconds: Int64
    private var usersWithNewCounts: [StreamID] = []
    /// The same users, once they are many: searching a list for each of them would be slow.
    private var manyWithNewCounts: Set<StreamID> = []
    private static let searchedUsersMax = 16

    init(
        transaction: WriteTransaction,
        actor: Actor,
        now: Timestamp,
        engine: TriggerEngine,
        collections: TopicCollections,
        rules: RulesInForce,
        watched: WatchedStreams,
        restraint: Restraint,
        pushesMessages: Bool,
        editMilliseconds: Int64
    ) {
        self.transaction = transaction
        self.actor = actor
        self.now = now
        self.engine = engine
        self.collections = collections
        self.rules = rules
        self.watched = watched
        self.restraint = restraint
        self.pushesMessages = pushesMessages
        self.editMilliseconds = editMilliseconds
    }

    /// The asking user.
    ///
    /// - Throws: `Refusal` when no user asks.
    package func user() throws -> (id: StreamID, name: UserID) {
        guard case .user(let id, let name, _) = actor else {
            throw Refusal(.forbidden, "only users may do this, and the subject of the token is not a user id")
        }
        return (id, name)
    }

    /// The number of the user who writes; nil when no user does.
    package var writer: StreamID? { if case .user(let id, _, _) = actor { id } else { nil } }

    /// The roles in the user's token.
    package var roles: Set<RoleName> { if case .user(_, _, let roles) = actor { roles } else { [] } }

    /// The rights of the asking user on documents.
    package var documentRights: DocumentRights {
        get throws { try DocumentRights(rules, collections, in: transaction.reading) }
    }

    /// Notes that the user's counts have changed. When the command is done, the user's devices get the new counts, once.
    package func countsChanged(of user: StreamID) {
        if usersWithNewCounts.count < Self.searchedUsersMax {
            if !usersWithNewCounts.contains(user) { usersWithNewCounts.append(user) }
            return
        }
        if manyWithNewCounts.isEmpty { manyWithNewCounts = Set(usersWithNewCounts) }
        if manyWithNewCounts.insert(user).inserted { usersWithNewCounts.append(user) }
    }

    /// Computes the new counts inside the transaction that changed them.
    package func noteCounts() throws {
        for id in usersWithNewCounts {
            guard let user = try transaction.users.find(id) else { continue }
            transaction.note(
                .unread(user: id, counts: try transaction.unread(of: user), asOf: transaction.head))
        }
        usersWithNewCounts.removeAll()
        manyWithNewCounts.removeAll()
    }
}

@available(*, unavailable)
extension WriteContext: Sendable {}
