import EventLoop

/// The questions of one connection that wait for an answer.
///
/// Each waits in a slot, which is a subscription that has one question at a time; its number is the last part of the subject
/// to which the answer comes. libnats does not say which question nobody takes: it is the one in the slot, so a slot is
/// given up when its question gets no answer in time.
///
/// Deadlines are looked at when the owner calls `tick`.
/// - Confinement: loop
final class OpenRequests {
    typealias Done = (Result<NATSMessage, JournalFailure>) -> Void

    private struct Request {
        let number: Int
        let deadline: Int64
        let done: Done
    }

    private struct Slot {
        let subscription: NATSSubscription
        /// The subject without the question's number.
        let subject: String
        /// Nil while the slot is free.
        var request: Request?
    }

    private var connection: NATSConnection?
    private var slots: [Slot] = []
    /// Answers that have come and are not reported yet, the oldest question last.
    private var answered: [(request: Request, result: Result<NATSMessage, JournalFailure>)] = []
    /// Questions that were not sent; the timer reports them.
    private var failed: [(failure: JournalFailure, done: Done)] = []
    private var timer: LoopTimer?
    private var number = 0
    private var slotNumber = 0

    init(on loop: Loop) {
        timer = LoopTimer(on: loop) { [unowned self] in reportFailed() }
    }

    /// Uses a new connection.
    /// - Returns: false when it is already over.
    func begin(on connection: NATSConnection) -> Bool {
        self.connection = connection
        // The first question does not wait until the other servers know of its subject.
        guard addSlot() != nil else {
            self.connection = nil
            return false
        }
        return true
    }

    /// Sends a question.
    /// - Parameters:
    ///   - last: The value of `Nats-Expected-Last-Sequence`, if any.
    ///   - done: Called once, never during this call.
    func send(_ bytes: [UInt8], to subject: String, after last: UInt64? = nil, deadline: Int64, _ done: @escaping Done)
    {
        guard let connection, let slot = slots.firstIndex(where: { $0.request == nil }) ?? addSlot() else {
            return fail(.notConnected, done)
        }
        number += 1
        do {
            try connection.publish(bytes, to: subject, reply: "\(slots[slot].subject)\(number)", after: last)
            slots[slot].request = Request(number: number, deadline: deadline, done: done)
        } catch {
            fail(error.isTooLarge ? .tooLarge(bytesMax: connection.payloadBytesMax) : .noAnswer, done)
        }
    }

    /// Takes the answers that have come, and reports those of one read in the order of their questions: a slot that was free
    /// again has a later question than the slots after it.
    func receive() {
        for index in slots.indices { receive(in: index) }
        answered.sort { $0.request.number > $1.request.number }
        reportAnswered()
    }

    private func receive(in index: Int) {
        while true {
            let result: Result<NATSMessage, JournalFailure>
            switch slots[index].subscription.take() {
            case .nothing: return
            case .nobody: result = .failure(.noLeader)
            case .message(let message):
                // A second answer to an earlier question does not count.
                guard message.subjectNumber == slots[index].request?.number else { continue }
                result = .success(message)
            }
            guard let request = slots[index].request else { continue }
            slots[index].request = nil
            answered.append((request, result))
        }
    }

    /// The owner may ask more meanwhile, or end everything.
    private func reportAnswered() { while let next = answered.popLast() { next.request.done(next.result) } }

    /// Ends the questions whose time is over.
    func tick(now: Int64) {
        let late = slots.compactMap(\.request).filter { $0.deadline <= now }.sorted { $0.number < $1.number }
        guard !late.isEmpty else { return }
        slots.removeAll { $0.request.map { $0.deadline <= now } ?? false }
        for request in late { request.done(.failure(.noAnswer)) }
    }

    /// The connection is over: no answer will come.
    func endAll() {
        connection = nil
        reportAnswered()
        let left = slots.compactMap(\.request).sorted { $0.number < $1.number }
        slots = []
        for request in left { request.done(.failure(.noAnswer)) }
    }

    /// As `endAll`, for good.
    func close() {
        endAll()
        timer?.close()
        timer = nil
        reportFailed()
    }

    /// - Returns: the index of a new free slot; nil when the connection is over.
    private func addSlot() -> Int? {
        guard let connection else { return nil }
        slotNumber += 1
        let subject = "\(connection.inbox).a\(slotNumber)."
        guard let subscription = NATSSubscription(to: subject + "*", on: connection) else { return nil }
        slots.append(Slot(subscription: subscription, subject: subject))
        return slots.count - 1
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
