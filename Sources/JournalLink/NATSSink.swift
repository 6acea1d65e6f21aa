import CNATS
import EventLoop
import Synchronization

/// The place to which libnats' threads bring the messages of one subscription: into the mailbox of the owner's loop, as
/// long as not too much waits there. More is dropped and counted.
///
/// - Confinement: any
final class NATSSink: Sendable {
    /// Names the subscription; unique in its client.
    let number: Int
    private let inputs: Mailbox<LinkInput>
    private let messagesMax: Int
    private let bytesMax: Int
    private let messages = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let droppedCount = Atomic<Int>(0)

    init(number: Int, into inputs: Mailbox<LinkInput>, messagesMax: Int, bytesMax: Int) {
        self.number = number
        self.inputs = inputs
        self.messagesMax = messagesMax
        self.bytesMax = bytesMax
    }

    /// Whether the owner bounds the messages itself.
    var isUnbounded: Bool { messagesMax == .max && bytesMax == .max }

    /// The messages that were dropped.
    var dropped: Int { droppedCount.load(ordering: .relaxed) }

    /// Takes a message on a thread of libnats.
    func take(_ message: NATSMessage) {
        let count = message.bytes.count
        let waiting = messages.add(1, ordering: .relaxed).newValue
        let waitingBytes = bytes.add(count, ordering: .relaxed).newValue
        // One message always fits, whatever its size.
        if waiting > messagesMax || waitingBytes > max(bytesMax, count) {
            droppedCount.add(1, ordering: .relaxed)
            release(count)
        } else if !inputs.post(.message(self, message)) {
            release(count)
        }
    }

    /// The loop has taken a message of this size.
    func release(_ count: Int) {
        messages.subtract(1, ordering: .relaxed)
        bytes.subtract(count, ordering: .relaxed)
    }
}
