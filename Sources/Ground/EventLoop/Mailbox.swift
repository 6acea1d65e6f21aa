package import Synchronization

/// An array that a burst has made larger than this is released.
private let messagesKeptMax = 1 << 14

/// The only way for threads to exchange values: any thread posts, one loop receives in batches, in the order of
/// posting.
///
/// A mailbox may be made before the thread that empties it. So every thread can be given the mailboxes of all others
/// when it starts; messages wait until the mailbox is opened.
///
/// Messages that arrive before the loop wakes form one batch with one wake-up. The mailbox lives until it is closed, by
/// `close()` or by the end of its loop; later messages are refused, and waiting ones are dropped.
/// - Confinement: any for `post`; loop for the rest
@safe
package final class Mailbox<Message: Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Queue {
        @usableFromInline var messages: [Message] = []
        @usableFromInline var isClosed = false
    }

    /// Protected by its lock; `doorbell.ring` is called under it, and so never after the close has begun.
    @usableFromInline let queue = Mutex(Queue())
    /// Nil until the mailbox is opened. Set under the lock of `queue`; confined to the loop, except `ring`.
    private var doorbell: Doorbell?
    /// Confined to the loop.
    private var take: ((inout [Message]) -> Void)?
    /// The array of the last batch, to be filled again. Confined to the loop.
    private var spare: [Message] = []

    /// Makes a mailbox that is not open yet: it keeps posted messages.
    package init() {}

    /// Makes a mailbox and opens it.
    /// - Parameters:
    ///   - loop: The loop of the calling thread.
    ///   - receive: Called on the loop with the new messages, at least one.
    /// - Throws: when the loop's first mailbox finds no descriptor left.
    package convenience init(on loop: Loop, receive: @escaping ([Message]) -> Void) throws(UVError) {
        let take = { (batch: inout [Message]) in
            receive(batch)
            batch.removeAll(keepingCapacity: true)
        }
        try self.init(taking: take, on: loop)
    }

    /// Makes a mailbox whose owner empties each batch, and opens it. Emptying an array takes 2,000 instructions in
    /// generic code, and a tenth of that in code that knows the type of the messages.
    /// - Parameters:
    ///   - take: Called on the loop with the new messages, at least one. It must leave the array empty, with its
    ///     capacity.
    ///   - loop: The loop of the calling thread.
    /// - Throws: when the loop's first mailbox finds no descriptor left.
    package convenience init(taking take: @escaping (inout [Message]) -> Void, on loop: Loop) throws(UVError) {
        self.init()
        try open(taking: take, on: loop)
    }

    /// Opens a mailbox that was made without a loop, once; for parameters and errors see ``init(taking:on:)``.
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
    ///
    /// Inlinable, because generic code is not specialised in another module otherwise, and looks up types each time.
    /// - Returns: false when the mailbox is closed and the message was refused.
    @inlinable
    @discardableResult
    package func post(_ message: Message) -> Bool {
        queue.withLock { queue in
            guard !queue.isClosed else { return false }
            queue.messages.append(message)
            if queue.messages.count == 1 { ring() }
            return true
        }
    }

    /// Wakes the loop; called under the lock of `queue`.
    @usableFromInline
    func ring() { doorbell?.ring() }

    /// Posts several messages that stay together; on any thread.
    /// - Returns: false when the mailbox is closed and they were refused.
    @discardableResult
    package func post(contentsOf messages: [Message]) -> Bool {
        guard !messages.isEmpty else { return true }
        return queue.withLock { queue in
            guard !queue.isClosed else { return false }
            let wasEmpty = queue.messages.isEmpty
            queue.messages.append(contentsOf: messages)
            if wasEmpty { ring() }
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

    /// Released only now, because the receiver may own objects that must be closed first.
    func doorbellClosed() {
        take = nil
        spare = []
    }
}
