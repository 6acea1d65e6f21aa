import Compression
import Model
import Quotas
import Wire

/// The state of a session's receiving, from bytes to messages: how much may be inflated, what waits for a later
/// turn, and by when a message must be whole.
///
/// - Confinement: loop
struct MessageIntake {
    private var codec = WebSocketConnection(role: .server, messageBytesMax: Limits.messageBytesMax)
    private var inflation = InflationAllowance()
    /// By when the message or frame under way must be whole; `.max` between messages.
    private var deadline = Int64.max
    /// The received bytes that wait for a later turn; nil in nearly every session.
    private var postponed: PostponedInput?

    /// Bytes of messages that are not whole, or that wait for a later turn.
    var heldBytes: Int { codec.heldBytes + (postponed?.heldBytes ?? 0) }

    /// Takes bytes of frames.
    ///
    /// - Parameters:
    ///   - inflater: of a connection with compression.
    ///   - events: gets what is whole.
    mutating func receive(_ bytes: RawSpan, _ inflater: Inflater? = nil, into events: inout [WebSocketEvent]) {
        codec.receive(bytes, decompressor: inflater, into: &events)
    }

    /// How many frames came since the last call.
    mutating func takeFrameCount() -> Int { codec.takeFrameCount() }

    // MARK: Time

    /// A message is whole.
    mutating func messageIsWhole() { deadline = .max }

    /// A read was taken in: the time of a message that is not whole runs from its first byte.
    mutating func noteUnfinished(at now: Int64, milliseconds: Int64) {
        if codec.isBetweenMessages {
            deadline = .max
        } else if deadline == .max {
            deadline = now + milliseconds
        }
    }

    /// Whether a message is not whole in time.
    func isOverdue(at now: Int64) -> Bool { now >= deadline }

    // MARK: Compression

    /// Compressed bytes arrived.
    mutating func receivedCompressed(_ count: Int) { inflation.received(count) }

    /// A message was inflated.
    ///
    /// - Parameters:
    ///   - bytes: its size then.
    ///   - account: of the connection's user, if that is known.
    ///   - now: monotonic milliseconds.
    /// - Returns: false when that is too much by now.
    mutating func mayInflate(to bytes: Int, for account: UserAccount?, at now: Int64) -> Bool {
        inflation.inflated(bytes, for: account, at: now)
    }

    // MARK: Later turns

    /// Whether something waits for a later turn.
    var isPostponed: Bool { postponed != nil }

    /// Keeps messages for a later turn.
    mutating func postpone(_ events: ArraySlice<WebSocketEvent>) { postponed = PostponedInput(events) }

    /// Keeps compressed bytes that came after what waits already.
    mutating func postpone(compressed bytes: RawSpan) { postponed?.append(compressed: bytes) }

    /// Takes out what waited for this turn.
    mutating func takePostponed() -> PostponedInput? {
        defer { postponed = nil }
        return postponed
    }
}
