import GRDB
package import Model

/// The tables as one transaction sees them.
///
/// - Confinement: store
package class Transaction {
    let database: Database
    /// The writer's; nil on the connections that read.
    let statements: WriterStatements?
    let chatMemory: ChatMemory?

    init(database: Database, statements: WriterStatements? = nil, chatMemory: ChatMemory? = nil) {
        self.database = database
        self.statements = statements
        self.chatMemory = chatMemory
    }

    package var streams: StreamTable { StreamTable(database: database, statements: statements) }
    package var topicKinds: TopicKindTable { TopicKindTable(database: database) }
    package var users: UserTable { UserTable(database: database, statements: statements) }
    package var follows: FollowTable { FollowTable(database: database) }
    package var chats: ChatTable { ChatTable(database: database, memory: chatMemory) }
    package var messages: MessageTable { MessageTable(database: database, statements: statements) }
    package var keys: KeyTable { KeyTable(database: database, statements: statements) }
    package var documents: DocumentTable { DocumentTable(database: database, statements: statements) }
    package var history: DocumentHistoryTable { DocumentHistoryTable(database: database, statements: statements) }
    package var runs: TriggerRunTable { TriggerRunTable(database: database) }
    package var notifications: NotificationTable { NotificationTable(database: database, statements: statements) }
    package var topicCounts: TopicCountTable { TopicCountTable(database: database) }
    package var entryStreams: EntryStreamTable { EntryStreamTable(database: database) }
    package var streamSweep: StreamSweep { StreamSweep(database: database) }
    package var broadcasts: BroadcastTable { BroadcastTable(database: database) }
    package var triggers: TriggerRowTable { TriggerRowTable(database: database) }
    package var triggerStates: TriggerStateTable { TriggerStateTable(database: database) }
    package var revocations: RevocationTable { RevocationTable(database: database) }
    package var log: ChangeLog {
        ChangeLog(database: database, statements: statements, chatMemory: chatMemory)
    }
    package var documentStreams: DocumentStreamTable { DocumentStreamTable(database: database) }
    package var accessRules: AccessRuleTable { AccessRuleTable(database: database) }
    package var preferences: PreferenceTable { PreferenceTable(database: database) }
    package var digests: DigestTable { DigestTable(database: database) }
    package var snoozes: SnoozeTable { SnoozeTable(database: database) }
    package var retention: LogRetention { LogRetention(database: database) }
    package var webhooks: WebhookTable { WebhookTable(database: database) }
    package var dead: DeadTable { DeadTable(database: database) }

    /// The user's counts as this transaction sees them.
    package func unread(of user: UserEntry) throws -> UnreadCounts {
        UnreadCounts(
            chats: user.unreadChats,
            notifications: user.unreadInbox + (try topicCounts.unread(of: user))
        )
    }
}

@available(*, unavailable)
extension Transaction: Sendable {}

/// The writer's transaction: the tables, the positions it gives out, and what the sessions are to hear after the commit.
///
/// - Confinement: store
package final class WriteTransaction: Transaction {
    /// Position of the newest entry written, in this transaction or before it.
    package private(set) var head: Position
    /// What sessions experience once this is committed, in the order written.
    package private(set) var steps: [CommittedStep] = []
    /// What became of webhooks.
    package internal(set) var webhookTally = WebhookTally()

    init(database: Database, head: Position, statements: WriterStatements, chatMemory: ChatMemory) {
        self.head = head
        super.init(database: database, statements: statements, chatMemory: chatMemory)
    }

    /// The position that the next event gets.
    package var nextPosition: Position { head.next }

    /// Appends an event to the log, for one stream or two.
    ///
    /// - Parameters:
    ///   - event: must bear ``nextPosition`` as its `seq`.
    ///   - isFollowed: whether the stream is one that many may follow, rather than an inbox.
    ///   - recountsUnread: whether readers' counts must be computed anew after it.
    ///   - reach: of what lies in further followed streams.
    /// - Returns: the event's position.
    @discardableResult
    package func append(
        _ event: EncodedEvent,
        to stream: StreamID,
        and second: StreamID? = nil,
        isFollowed: Bool = false,
        recountsUnread: Bool = false,
        reach: PublicationReach? = nil
    ) throws -> Position {
        let position = takePosition()
        try log.insert(position, stream: stream, second: second, body: event.json)
        if isFollowed { try streams.advance(stream, to: position) }
        if let reach { try spread(position, reach) }
        steps.append(
            .publication(
                Publication(
                    position: position,
                    name: event.name,
                    stream: stream,
                    secondStream: second,
                    payload: .same(event.json),
                    unread: recountsUnread ? .recount : .unchanged,
                    reach: reach
                )
            )
        )
        return position
    }

    /// Appends an event of a chat to the log, once however many its members are, for two of them to be told.
    ///
    /// - Parameter number: of the message that the event is, which must be put under it into ``messages``; nil for all
    ///   other events.
    package func append(
        _ event: EncodedEvent,
        chat: Int64,
        number: MessageNumber? = nil,
        to first: StreamID,
        and second: StreamID?
    ) throws -> Position {
        let position = takePosition()
        try log.insert(position, stream: StreamID(chat: chat), second: nil, number: number, body: event.json)
        steps.append(
            .publication(
                Publication(
                    position: position, name: event.name, stream: first, secondStream: second,
                    payload: .same(event.json))
            )
        )
        return position
    }

    /// Appends a notification, whose row must have been written under ``nextPosition``.
    ///
    /// - Parameters:
    ///   - facts: by which sessions decide whether it interrupts their user.
    ///   - reach: of what lies in further followed streams.
    @discardableResult
    package func append(
        _ notification: NotificationEntry,
        payload: Publication.Payload,
        isFollowed: Bool,
        facts: NotificationFacts? = nil,
        reach: PublicationReach? = nil
    ) throws -> Position {
        precondition(notification.position == nextPosition, "a notification's number is its position in the log")
        let position = takePosition()
        try log.insert(position, stream: notification.stream, second: nil, body: nil)
        if isFollowed { try streams.advance(notification.stream, to: position) }
        if let reach { try spread(position, reach) }
        steps.append(
            .publication(
                Publication(
                    position: position,
                    name: .notification,
                    stream: notification.stream,
                    payload: payload,
                    unread: isFollowed ? .oneMore : .unchanged,
                    broadcast: notification.broadcast,
                    notification: facts,
                    reach: reach
                )
            )
        )
        return position
    }

    /// Appends the change of a document to the log, for those who watch its collection, or the document itself.
    ///
    /// - Parameters:
    ///   - event: must bear ``nextPosition`` as its `seq`.
    ///   - collection: the stream of its collection; nil when nobody ever watched it.
    ///   - own: the stream of the document; nil when nobody ever watched it alone.
    package func append(
        _ event: EncodedEvent,
        of document: Publication.Document,
        collection: StreamID?,
        own: StreamID?
    ) throws -> Position {
        let position = takePosition()
        let stream = collection ?? Self.unreadStream
        try log.insert(position, stream: stream, second: own, body: event.json)
        steps.append(
            .publication(
                Publication(
                    position: position,
                    name: event.name,
                    stream: stream,
                    secondStream: own,
                    payload: .same(event.json),
                    document: document
                )
            )
        )
        return position
    }

    /// Has an entry lie in further streams, which many follow.
    private func spread(_ position: Position, _ reach: PublicationReach) throws {
        try entryStreams.insert(position, in: reach.others)
        try entryStreams.insert(position, told: reach.told)
        for stream in reach.others { try streams.advance(stream, to: position) }
    }

    /// Lets the sessions know of something that is no event.
    package func note(_ change: SessionChange) { steps.append(.change(change)) }

    /// Gives a write that nobody is told of its place in the log: an empty entry in a stream that nobody reads.
    package func appendSilently() throws -> Position {
        let position = takePosition()
        try log.insert(position, stream: Self.unreadStream, second: nil, body: nil)
        return position
    }

    private static let unreadStream = StreamID(0)

    private func takePosition() -> Position {
        head = head.next
        precondition(head.value < Position.bound, "the log is full: positions must stay below 2^53")
        return head
    }

    /// Whether SQLite still holds the transaction open; false when it rolled it back by itself.
    var isOpen: Bool { database.isInsideTransaction }

    /// How far the transaction has come: two that are equal have nothing written between them.
    struct Mark: Equatable {
        let head: Position
        let steps: Int
        let rows: Int
        let chats: Int
    }

    var mark: Mark {
        Mark(
            head: head,
            steps: steps.count,
            rows: database.totalChangesCount,
            chats: chatMemory?.changeCount ?? 0
        )
    }

    /// Runs `body` in a savepoint: when it throws, nothing of it remains, neither rows nor steps nor positions.
    ///
    /// - Throws: what `body` throws. When SQLite has rolled the whole transaction back by itself (a full disk), there is
    ///   no savepoint left to return to: then ``isOpen`` is false, and nothing more may be written.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        let headBefore = head
        let stepsBefore = steps.count
        let tallyBefore = webhookTally
        // What was remembered before it is to outlive it.
        try chatMemory?.flush()
        try database.run("SAVEPOINT one")
        do {
            let value = try body()
            try database.run("RELEASE one")
            return value
        } catch {
            chatMemory?.forget()
            guard isOpen else { throw error }
            try database.run("ROLLBACK TO one")
            try database.run("RELEASE one")
            head = headBefore
            webhookTally = tallyBefore
            steps.removeLast(steps.count - stepsBefore)
            throw error
        }
    }
}
