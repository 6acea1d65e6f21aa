/// A wish for signals, kept from one connection to the next.
/// - Confinement: loop
final class SignalSubscription {
    private let handle: (JournalSignal) -> Void
    private let subject: String
    private(set) var subscription: NATSSubscription?

    init(to subject: String, _ handle: @escaping (JournalSignal) -> Void) {
        self.subject = subject
        self.handle = handle
    }

    func begin(on connection: NATSConnection) { subscription = NATSSubscription(to: subject, on: connection) }

    func end() { subscription = nil }

    /// Hands over what has come.
    func receive() {
        while case .message(let message)? = subscription?.take() {
            handle(JournalSignal(subject: message.subject, reply: message.reply, bytes: message.bytes))
        }
    }
}

@available(*, unavailable)
extension SignalSubscription: Sendable {}
