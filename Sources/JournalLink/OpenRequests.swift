import EventLoop

/// The questions of one connection that wait for an answer. Each has a number, which is the last part of the subject to
/// which the answer comes.
///
/// Deadlines are looked at when the owner calls `tick`.
/// - Confinement: loop
final class OpenRequests {
    typealias Done = (Result<NATSMessage, JournalFailure>) -> Void

    private struct Request {
        let deadline: Int64
        let done: Done
    }

    private var connection: NATSConnection?
    private var subscription: NATSSubscription?
    private var open: [Int: Request] = [:]
    /// Questions that were not sent; the timer reports them.
    private var failed: [(failure: JournalFailure, done: Done)] = []
    private var timer: LoopTimer?
    private var number = 0

    init(on loop: Loop) {
        timer = LoopTimer(on: loop) { [unowned self] in reportFailed() }
    }

    /// The sink of the answers; nil without a connection.
    var sinkNumber: Int? { subscription?.sink.number }

    /// Uses a new connection.
    /// - Returns: false when it is already over.
    func begin(on connection: NATSConnection, into sink: NATSSink) -> Bool {
        subscription = NATSSubscription(to: connection.inbox + ".a.*", on: connection, into: sink)
        self.connection = subscription == nil ? nil : connection
        return subscription != nil
    }

    /// Sends a question.
    /// - Parameters:
    ///   - last: The value of `Nats-Expected-Last-Sequence`, if any.
    ///   - done: Called once, never during this call.
    func send(_ bytes: [UInt8], to subject: String, after last: UInt64? = nil, deadline: Int64, _ done: @escaping Done)
    {
        guard let connection else { return fail(.notConnected, done) }
        number += 1
        do {
            try connection.publish(bytes, to: subject, reply: "\(connection.inbox).a.\(number)", after: last)
            open[number] = Request(deadline: deadline, done: done)
        } catch {
            fail(error.isTooLarge ? .tooLarge(bytesMax: connection.payloadBytesMax) : .noAnswer, done)
        }
    }

    /// An answer came.
    func answered(_ message: NATSMessage) {
        guard let number = message.subjectNumber, let request = open.removeValue(forKey: number) else { return }
        request.done(message.status == 503 ? .failure(.noLeader) : .success(message))
    }

    /// Ends the questions whose time is over.
    func tick(now: Int64) {
        let late = open.filter { $0.value.deadline <= now }.keys.sorted()
        for number in late { open.removeValue(forKey: number)?.done(.failure(.noAnswer)) }
    }

    /// The connection is over: no answer will come.
    func endAll() {
        connection = nil
        subscription = nil
        let left = open.sorted { $0.key < $1.key }
        open = [:]
        for (_, request) in left { request.done(.failure(.noAnswer)) }
    }

    /// As `endAll`, for good.
    func close() {
        endAll()
        timer?.close()
        timer = nil
        reportFailed()
    }

    private func fail(_ failure: JournalFailure, _ done: @escaping Done) {
        failed.append((failure, done))
        timer?.start(afterMilliseconds: 0)
    }

    private func reportFailed() {
        let left = failed
        failed = []
        for (failure, done) in left { done(.failure(failure)) }
    }
}

@available(*, unavailable)
extension OpenRequests: Sendable {}
