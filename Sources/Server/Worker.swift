import EventLoop

/// A thread of the server: it empties a mailbox until the message comes that stops it.
///
/// - Confinement: any
struct Worker<Message: Sendable>: Sendable {
    private let thread: LoopThread
    private let mailbox: Mailbox<Message>

    /// What the thread does with a batch of messages: it empties the batch, and returns true when it was told to stop and
    /// has done so.
    typealias Receiver = (inout [Message]) -> Bool

    /// Starts the thread and waits until it is set up.
    ///
    /// - Parameters:
    ///   - stage: has the loop instead of a thread.
    ///   - makeReceiver: makes what lives on the thread. Its second result is handed out. It must not throw when there is
    ///     a timer or a client already that the receiver was to close.
    /// - Returns: the worker, and what the set-up has handed out.
    /// - Throws: what `makeReceiver` throws, and `UVError`.
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

    /// Starts a thread that hands nothing out.
    static func start(
        _ name: String, emptying mailbox: Mailbox<Message>, on stage: LoopStage?,
        making makeReceiver: @escaping @Sendable (Loop) throws -> Receiver
    ) throws -> Self {
        try start(name, emptying: mailbox, on: stage) { (try makeReceiver($0), ()) }.0
    }

    /// Posts the message that stops it.
    func tell(_ stop: Message) { mailbox.post(stop) }

    /// Ends its loop at once.
    func cut() { thread.stop() }

    /// Waits for its end.
    func join() { thread.join() }
}
