import Synchronization

/// An array grown beyond this by a burst is given back to the allocator.
private let messagesKeptMax = 1 << 14

/// The one door between threads: anyone posts values, one loop receives them in batches, in the order of posting.
///
/// It may be made before the thread that empties it, so that every thread is given the mailboxes of all others when it
/// starts: messages wait until the mailbox is opened.
///
/// Messages that come before the loop wakes are one batch and one wake-up. The mailbox lives until it is closed, by
/// `close()` or by the end of its loop; messages posted after that are refused, messages that wait then are dropped.
/// - Confinement: any for `post`; loop for the rest
@safe
package final class Mailbox<Message: Sendable>: @unchecked Sendable {
    private struct Queue {
        var messages: [Message] = []
        var isClosed = false
    }

    /// Protected by its lock; `doorbell.ring` is called under it, so never after the close began.
    private let queue = Mutex(Queue())
    /// Nil until the mailbox is opened. Set under the lock of `queue`; confined to the loop, except `ring`.
    private var doorbell: Doorbell?
    /// Confined to the loop.
    private var take: ((inout [Message]) -> Void)?
    /// The array of the batch before, to be filled again. Confined to the loop.
    private var spare: [Message] = []

    /// Makes a mailbox that is not open yet: it keeps what is posted.
    package init() {}

    /// Makes a mailbox and opens it.
    /// - Parameters:
    ///   - loop: the calling thread's.
    ///   - receive: called on the loop with what came since the last time, never empty.
    /// - Throws: when the loop's first mailbox finds no descriptor left.
    package convenience init(on loop: Loop, receive: @escaping ([Message]) -> Void) throws(UVError) {
        let take = { (batch: inout [Message]) in
            receive(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try self.init(taking: take, on: loop)
    }

    /// Makes a mailbox whose owner empties each batch, and opens it. Code that knows the type of its messages does that in a tenth of
    /// the 2,000 instructions that it takes here, where they may be of any type.
    /// - Parameters:
    ///   - take: called on the loop with what came since the last time, never empty. It must leave an empty array, with
    ///     its capacity.
    ///   - loop: the calling thread's.
    /// - Throws: when the loop's first mailbox finds no descriptor left.
    package convenience init(taking take: @escaping (inout [Message]) -> Void, on loop: Loop) throws(UVError) {
        self.init()
        try open(taking: take, on: loop)
    }

    /// Opens a mailbox that was made without a loop, once; parameters and errors as of ``init(taking:on:)``.
    package func open(taking take: @escaping (inout [Message]) -> Void, on loop: Loop) throws(UVError) {
        precondition(doorbell == nil, "a mailbox is opened once")
        let doorbell = try Doorbell(on: loop)
        self.take = take
        doorbell.hang(for: self)
        queue.withLock { queue in
            self.doorbell = doorbell
            if !queue.messages.isEmpty { doorbell.ring() }
        }
    }

    /// Posts a message; on any thread.
    /// - Returns: false when the mailbox is closed and the message was refused.
    @discardableResult
    package func post(_ message: Message) -> Bool {
        queue.withLock { queue in
            guard !queue.isClosed else { return false }
            queue.messages.append(message)
            if queue.messages.count == 1 { doorbell?.ring() }
            return true
        }
    }

    /// Posts several messages which stay together; on any thread.
    /// - Returns: false when the mailbox is closed and they were refused.
    @discardableResult
    package func post(contentsOf messages: [Message]) -> Bool {
        guard !messages.isEmpty else { return true }
        return queue.withLock { queue in
            guard !queue.isClosed else { return false }
            let wasEmpty = queue.messages.isEmpty
            queue.messages.append(contentsOf: messages)
            if wasEmpty { doorbell?.ring() }
            return true
        }
    }

    /// Closes the mailbox, on its loop.
    package func close() {
        doorbell?.close()
    }
}

extension Mailbox: DoorbellOwner {
    func doorbellRang() {
        var batch = spare
        spare = []
        queue.withLock { swap(&$0.messages, &batch) }
        guard !batch.isEmpty else { return }
        take?(&batch)
        if batch.capacity <= messagesKeptMax { spare = batch }
    }

    func doorbellCloses() {
        queue.withLock { queue in
            queue.isClosed = true
            queue.messages = []
        }
    }

    /// Only now, because the receiver may own things that must be closed before it is released.
    func doorbellClosed() {
        take = nil
        spare = []
    }
}
