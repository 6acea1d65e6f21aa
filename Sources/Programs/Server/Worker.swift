import EventLoop

/// A thread of the server: it empties a mailbox until a message stops it.
///
/// - Confinement: any
struct Worker<Message: Sendable>: Sendable {
    private let thread: LoopThread
    private let mailbox: Mailbox<Message>

    /// The thread's work with a batch of messages: it empties the batch, and returns true when a message demands it to
    /// stop and it has done so.
    typealias Receiver = (inout [Message]) -> Bool

    /// Starts the thread and waits until it is set up.
    ///
    /// - Parameters:
    ///   - stage: Holds the loop instead of a thread.
    ///   - makeReceiver: Makes the objects of the thread. Its second result is returned to the caller. It must not
    ///     throw after it has made a timer or a client, which only the receiver could close.
    /// - Returns: The worker, and the second result of `makeReceiver`.
    /// - Throws: The error of `makeReceiver`, or `UVError`.
    static func start<Output: Sendable>(
        _ name: String, emptying mailbox: Mailbox<Message>, on stage: LoopStage?,
        making makeReceiver: @escaping @Sendable (Loop) throws -> (Receiver, Output)
    ) throws -> (Self, Output) {
        let (thread, output) = try LoopThread.start(named: name, on: stage) { loop in
            let (receive, output) = try makeReceiver(loop)
            try mailbox.open(taking: { [unowned loop] batch in if receive(&batch) { loop.stop() } }, on: loop)
            return output
        }
        return (Self(thread: thread, mailbox: mailbox), output)
    }

    /// Starts a thread whose set-up returns nothing else.
    static func start(
        _ name: String, emptying mailbox: Mailbox<Message>, on stage: LoopStage?,
        making makeReceiver: @escaping @Sendable (Loop) throws -> Receiver
    ) throws -> Self {
        try start(name, emptying: mailbox, on: stage) { (try makeReceiver($0), ()) }.0
    }

    /// Posts the message that stops the thread.
    func tell(_ stop: Message) { mailbox.post(stop) }

    /// Ends the thread's loop at once.
    func cut() { thread.stop() }

    /// Waits for the thread's end.
    func join() { thread.join() }
}
