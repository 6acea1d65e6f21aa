import ClientProtocol
package import Model
package import Store

/// What a writing use case is given: the transaction, who asks, and the time that travels with the request.
///
/// - Confinement: store
package final class WriteContext {
    package let transaction: WriteTransaction
    package let actor: Actor
    /// When the command was taken in; the same if it is applied again from a journal.
    package let now: Timestamp
    let engine: TriggerEngine
    let collections: TopicCollections
    let rules: RulesInForce
    let watched: WatchedStreams
    /// Whether what is written was there before anybody asked: then triggers schedule, and notify of nothing.
    var isBackfill = false
    /// The triggers through which the write came about.
    var chain = TriggerChain.none
    /// How many more triggers whose condition is not true the answer names; the others it counts.
    var unmetReportsLeft = 0
    /// When what the trigger under way had scheduled for the document was due, until it dropped it.
    var dropped: Timestamp?
    /// The same by trigger, of the document that is being deleted.
    var droppedWithDocument: [String: Timestamp] = [:]
    /// The streams of topics that the command has notified already.
    var streamsOfTopics: [Topic: StreamID] = [:]
    /// Whether nobody waits for a notification to begin a digest with; nil when that has not been asked, or may have
    /// changed.
    var isNoDigestWaiting: Bool?
    private let writer: String
    private var usersWithNewCounts: [StreamID] = []
    /// The same once they are many: a list would be searched for each of them.
    private var manyWithNewCounts: Set<StreamID> = []
    private static let searchedUsersMax = 16

    init(
        transaction: WriteTransaction,
        actor: Actor,
        now: Timestamp,
        engine: TriggerEngine,
        collections: TopicCollections,
        rules: RulesInForce,
        watched: WatchedStreams
    ) {
        self.transaction = transaction
        self.actor = actor
        self.now = now
        self.engine = engine
        self.collections = collections
        self.rules = rules
        self.watched = watched
        writer = actor.text
    }

    /// The user who asks.
    ///
    /// - Throws: `Refusal` when it is not a user who asks.
    func user() throws -> (id: StreamID, name: UserID) {
        guard case .user(let id, let name, _) = actor else {
            throw Refusal(.forbidden, "only users may do this, and the subject of the token is not a user id")
        }
        return (id, name)
    }

    /// The roles that the token of the user says.
    var roles: Set<RoleName> { if case .user(_, _, let roles) = actor { roles } else { [] } }

    /// Appends an event of a chat to its stream in the log, for its members to be told.
    func append(_ event: EncodedEvent, in chat: Int64, toMembers members: [MemberEntry]) throws -> Position {
        let position = try append(event, in: chat, number: nil, toMembers: members)
        try transaction.chats.setLastEvent(at: position, in: chat)
        return position
    }

    /// The same for message number `n`, which ``MessageTable/insert(_:in:)`` must put there; that it is the newest event,
    /// ``ChatTable/setLast(_:at:in:)`` notes.
    func appendMessage(
        _ event: EncodedEvent,
        n: MessageNumber,
        in chat: Int64,
        toMembers members: [MemberEntry]
    ) throws {
        _ = try append(event, in: chat, number: n, toMembers: members)
    }

    private func append(
        _ event: EncodedEvent,
        in chat: Int64,
        number: MessageNumber?,
        toMembers members: [MemberEntry]
    ) throws -> Position {
        guard let first = members.first else { throw StoredValueProblem(place: "members") }
        let second = members.count > 1 ? members[1].user : nil
        return try transaction.append(event, chat: chat, number: number, to: first.user, and: second)
    }

    /// Keeps a change of a document in the history.
    ///
    /// - Parameter before: what was there; nil when there was nothing.
    func keep(_ path: DocumentPath, before: [UInt8]?, at position: Position) throws {
        try transaction.history.insert(
            path,
            at: position,
            before: before,
            time: now,
            by: writer,
            isBackfill: isBackfill,
            chain: chain
        )
    }

    /// Has the user's counts told to his devices when the command is done, once, however often they changed.
    func countsChanged(of user: StreamID) {
        if usersWithNewCounts.count < Self.searchedUsersMax {
            if !usersWithNewCounts.contains(user) { usersWithNewCounts.append(user) }
            return
        }
        if manyWithNewCounts.isEmpty { manyWithNewCounts = Set(usersWithNewCounts) }
        if manyWithNewCounts.insert(user).inserted { usersWithNewCounts.append(user) }
    }

    /// Computes the new counts inside the transaction that changed them.
    func noteCounts() throws {
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
