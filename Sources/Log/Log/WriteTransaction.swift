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

    /// Appends an entry to the log.
    ///
    /// - Parameters:
    ///   - second: another stream in which it lies.
    ///   - number: of the message that it is, by which it is found in its chat; nil for all other entries.
    ///   - body: an event, which must have ``nextPosition`` as its `seq`; nil where another table has the content, under
    ///     ``nextPosition``.
    package func appendEntry(
        to stream: StreamID, and second: StreamID? = nil, number: MessageNumber? = nil, body: [UInt8]?
    ) throws -> Position {
        head = head.next
        precondition(head.value < Position.bound, "the log is full: positions must stay below 2^53")
        try log.insert(head, stream: stream, second: second, number: number, body: body)
        return head
    }

    /// Adds a publication for the sessions.
    package func publish(_ publication: Publication) { steps.append(.publication(publication)) }

    /// Adds a step for the sessions that is no event.
    package func note(_ change: SessionChange) { steps.append(.change(change)) }

    /// Gives a write without an event its place in the log: an empty entry in nobody's stream.
    package func appendSilently() throws -> Position { try appendEntry(to: .nobody, body: nil) }

    /// Whether SQLite still holds the transaction open; false when it rolled it back by itself.
    var isOpen: Bool { database.isInsideTransaction }

    /// How far the transaction has come: nothing was written between two marks that are equal.
    struct Mark: Equatable {
        let head: Position
        let steps: Int
        let rows: Int
        let memory: Int
    }

    var mark: Mark {
        Mark(
            head: head,
            steps: steps.count,
            rows: database.totalChangesCount,
            memory: access.memory?.changeCount ?? 0
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
        try access.flush()
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
