import Model

/// One loop's account of what it holds for its peers. It is told to the others in steps, so that the hot path touches
/// nothing shared.
///
/// - Confinement: loop
package struct HeldBytes {
    /// What may be held and not told yet.
    private static let stepBytes = 64 * 1024

    private let memory: PeerMemory
    private var here = 0
    private var told = 0
    /// The part of `here` that waits for sockets, as of the last turn's end.
    private var queued = 0
    /// Answers of this turn, which stand in no queue that was looked at yet.
    private var answered = 0

    package init(_ memory: PeerMemory) { self.memory = memory }

    /// Bytes held by all loops.
    package var total: Int { memory.heldBytes + here - told }

    /// Bytes that one connection may hold now.
    package var allowance: Int { max(0, memory.bytesMax - total) / 2 }

    /// Bytes that may wait for one socket, above which its session reads on from the log later. Where too much is held it is
    /// next to nothing: thousands of sessions that each have little waiting are much together.
    package var queueBytesMax: Int {
        excess > 0 ? Limits.pressedQueueBytesMax : max(Limits.smallHoldingBytes, allowance)
    }

    /// Whether nothing more may be held but what is small.
    package var isFull: Bool { total >= memory.bytesMax }

    /// How much more is held than three quarters of what may be.
    package var excess: Int { total - memory.bytesMax / 4 * 3 }

    /// Whether one connection may hold so much.
    ///
    /// - Parameter share: of whoever it is counted for, with what it holds already; nil for those who are not bounded.
    package func mayHold(_ bytes: Int, of share: PeerShare? = nil) -> Bool {
        memory.holding.admits(bytes, of: share?.bytes ?? 0, used: total)
    }

    /// Whether a connection whose user is not known may hold so much of a record that is not whole: what is large, only
    /// as long as half of what may be held is free.
    package func mayKeepUnfinished(_ bytes: Int, of share: PeerShare?) -> Bool {
        mayHold(bytes, of: share) && (bytes <= Limits.smallHoldingBytes || total <= memory.bytesMax / 2)
    }

    /// A connection holds so much more, or less.
    package mutating func add(_ bytes: Int) {
        here += bytes
        if abs(here - told) >= Self.stepBytes { tell() }
    }

    /// An answer of so many bytes is written in this turn.
    package mutating func addAnswer(_ bytes: Int) {
        answered += bytes
        add(bytes)
    }

    /// The turn is over: so much waits for sockets.
    package mutating func turnEnded(queuedBytes: Int) {
        add(queuedBytes - queued - answered)
        queued = queuedBytes
        answered = 0
        if here == 0, told != 0 { tell() }
    }

    private mutating func tell() {
        memory.add(here - told)
        told = here
    }
}
