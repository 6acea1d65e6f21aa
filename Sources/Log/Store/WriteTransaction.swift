import GRDB
package import Model

/// A transaction that writes: its tables also write, it gives out positions, and it collects the steps that sessions
/// get after the commit.
///
/// - Confinement: store
package final class WriteTransaction: Tables {
    package let access: WriteAccess
    /// Position of the newest entry written, in this transaction or before it.
    package private(set) var head: Position
    /// The steps that sessions get once this is committed, in the order written.
    package private(set) var steps: [CommittedStep] = []

    /// - Parameter head: position of the newest entry that is committed.
    init(_ access: WriteAccess, head: Position) {
        self.access = access
        self.head = head
        access.webhookTally = WebhookTally()
        access.pushTally = PushTally()
    }

    /// The same transaction for functions that only read. They read with the writer's statements and memory.
    package var reading: Transaction { Transaction(access) }

    /// The changes to webhooks so far.
    package var webhookTally: WebhookTally { access.webhookTally }

    /// The changes to pushes so far.
    package var pushTally: PushTally { access.pushTally }

    /// The position that the next event gets.
    package var nextPosition: Position { head.next }

    /// Appends an event to the log, for one stream or two.
    ///
    /// - Parameters:
    ///   - event: must have ``nextPosition`` as its `seq`.
    ///   - isFollowed: whether the stream is one that many may follow, rather than an inbox.
    ///   - recountsUnread: whether readers' counts must be counted again after it.
    ///   - reach: of an event that lies in further followed streams.
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
        publish(
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
        return position
    }

    /// Appends an event of a chat to the log, once for all its members, and publishes it to two of them.
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
        publish(
            Publication(
                position: position, name: event.name, stream: first, secondStream: second,
                payload: .same(event.json))
        )
        return position
    }

    /// Appends an event of a room to the log, once for all its members, and publishes it to their sessions.
    ///
    /// - Parameters:
    ///   - author: of the message that the event is, whose number is `number`; both nil for all other events.
    ///   - message: the position of the earlier message that the event changes, which does not exist for `except`.
    @discardableResult
    package func append(
        _ event: EncodedEvent, room chat: Int64, number: MessageNumber? = nil, by author: StreamID? = nil,
        changing message: Position? = nil, except: [StreamID] = []
    ) throws -> Position {
        let position = takePosition()
        let stream = StreamID(chat: chat)
        try log.insert(position, stream: stream, second: nil, number: number, body: event.json)
        if let message { try rooms.noteChange(at: position, of: message) }
        publish(
            Publication(
                position: position, name: event.name, stream: stream, payload: .same(event.json),
                unread: author.map { .message(of: $0) } ?? .unchanged,
                reach: except.isEmpty ? nil : PublicationReach(others: [], except: except)))
        return position
    }

    /// Appends a notification, whose row must have been written under ``nextPosition``.
    ///
    /// - Parameters:
    ///   - facts: by which sessions decide whether it interrupts their user.
    ///   - reach: of an event that lies in further followed streams.
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
        publish(
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
        return position
    }

    /// Appends the change of a document to the log, for those who watch its collection, or the document itself.
    ///
    /// - Parameters:
    ///   - event: must have ``nextPosition`` as its `seq`.
    ///   - collection: the stream of its collection; nil when nobody ever watched it.
    ///   - own: the stream of the document; nil when nobody ever watched it alone.
    package func append(
        _ event: EncodedEvent,
        of document: Publication.Document,
        collection: StreamID?,
        own: StreamID?
    ) throws -> Position {
        let position = takePosition()
        let stream = collection ?? .nobody
        try log.insert(position, stream: stream, second: own, body: event.json)
        publish(
            Publication(
                position: position,
                name: event.name,
                stream: stream,
                secondStream: own,
                payload: .same(event.json),
                document: document
            )
        )
        return position
    }

    /// Puts an entry into further streams, which many follow.
    private func spread(_ position: Position, _ reach: PublicationReach) throws {
        try entryStreams.insert(position, in: reach.others)
        try entryStreams.insert(position, told: reach.told)
        for stream in reach.others { try streams.advance(stream, to: position) }
    }

    private func publish(_ publication: Publication) { steps.append(.publication(publication)) }

    /// Adds a step for the sessions that is no event.
    package func note(_ change: SessionChange) { steps.append(.change(change)) }

    /// Gives a write without an event its place in the log: an empty entry in nobody's stream.
    package func appendSilently() throws -> Position {
        let position = takePosition()
        try log.insert(position, stream: .nobody, second: nil, body: nil)
        return position
    }

    private func takePosition() -> Position {
        head = head.next
        precondition(head.value < Position.bound, "the log is full: positions must stay below 2^53")
        return head
    }

    /// Whether SQLite still holds the transaction open; false when it rolled it back by itself.
    var isOpen: Bool { database.isInsideTransaction }

    /// How far the transaction has come: nothing was written between two marks that are equal.
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
            chats: access.chatMemory.changeCount
        )
    }

    /// Runs `body` in a savepoint: when it throws, its rows, steps and positions are undone.
    ///
    /// - Throws: what `body` throws. When SQLite has rolled back the whole transaction by itself (a full disk), there
    ///   is no savepoint left to return to: then ``isOpen`` is false, and nothing more may be written.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        let headBefore = head
        let stepsBefore = steps.count
        let tallyBefore = webhookTally
        let pushesBefore = pushTally
        // Changes in the memory from before must outlive the savepoint.
        try access.chatMemory.flush()
        let recorded = access.recorder?.mark()
        try access.run("SAVEPOINT one")
        do {
            let value = try body()
            try access.run("RELEASE one")
            return value
        } catch {
            access.forget()
            if let recorded { access.recorder?.cut(to: recorded) }
            guard isOpen else { throw error }
            try access.run("ROLLBACK TO one")
            try access.run("RELEASE one")
            head = headBefore
            access.webhookTally = tallyBefore
            access.pushTally = pushesBefore
            steps.removeLast(steps.count - stepsBefore)
            throw error
        }
    }
}

@available(*, unavailable)
extension WriteTransaction: Sendable {}
