import Model

/// One loop's account of the bytes that it holds for its peers. It publishes changes in steps, so that the hot path
/// touches no shared memory.
///
/// - Confinement: loop
package struct HeldBytes {
    /// The largest change that is not published yet.
    private static let stepBytes = 64 * 1024

    private let memory: PeerMemory
    private var here = 0
    private var told = 0
    /// The part of `here` that waited for sockets at the end of the last turn.
    private var queued = 0
    /// Answers of this turn, which are not counted in `queued` yet.
    private var answered = 0

    package init(_ memory: PeerMemory) { self.memory = memory }

    /// The bytes that all loops hold.
    package var total: Int { memory.heldBytes + here - told }

    /// The bytes that one connection may hold now.
    package var allowance: Int { max(0, memory.bytesMax - total) / 2 }

    /// The bytes that may wait for one socket; when more wait, its session continues later from the log. When the
    /// memory is nearly full this is almost zero, because thousands of sessions with few bytes each are many bytes
    /// together.
    package var queueBytesMax: Int {
        excess > 0 ? Limits.pressedQueueBytesMax : max(Limits.smallHoldingBytes, allowance)
    }

    /// Whether the memory is full, so that only small things may still be held.
    package var isFull: Bool { total >= memory.bytesMax }

    /// The bytes held beyond three quarters of the bound.
    package var excess: Int { total - memory.bytesMax / 4 * 3 }

    /// Whether one connection may hold this many bytes.
    ///
    /// - Parameter share: The share that they count for, with what it holds already; nil for peers without a bound.
    package func mayHold(_ bytes: Int, of share: PeerShare? = nil) -> Bool {
        memory.holding.admits(bytes, of: share?.bytes ?? 0, used: total)
    }

    /// Whether a connection without a known user may hold this many bytes of an incomplete record. A large record is
    /// allowed only while half of the bound is free.
    package func mayKeepUnfinished(_ bytes: Int, of share: PeerShare?) -> Bool {
        mayHold(bytes, of: share) && (bytes <= Limits.smallHoldingBytes || total <= memory.bytesMax / 2)
    }

    /// Adds to the bytes that a connection holds; negative when it holds less.
    package mutating func add(_ bytes: Int) {
        here += bytes
        if abs(here - told) >= Self.stepBytes { tell() }
    }

    /// Counts an answer that is written in this turn.
    package mutating func addAnswer(_ bytes: Int) {
        answered += bytes
        add(bytes)
    }

    /// Ends the turn, with the bytes that wait for sockets.
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
