/// A wish for signals, kept from one connection to the next.
/// - Confinement: loop
final class SignalSubscription {
    let handle: (JournalSignal) -> Void
    private let subject: String
    let sink: NATSSink
    private var subscription: NATSSubscription?
    private var droppedBefore = 0

    init(to subject: String, into sink: NATSSink, _ handle: @escaping (JournalSignal) -> Void) {
        self.subject = subject
        self.sink = sink
        self.handle = handle
    }

    /// The signals that were dropped since the last call.
    func takeDropped() -> Int {
        let dropped = sink.dropped
        defer { droppedBefore = dropped }
        return dropped - droppedBefore
    }

    func begin(on connection: NATSConnection) {
        subscription = NATSSubscription(to: subject, on: connection, into: sink)
    }

    func end() { subscription = nil }
}

@available(*, unavailable)
extension SignalSubscription: Sendable {}
