/// The written bytes of a connection that the kernel has not accepted, and its marks of congestion.
///
/// The bytes of a turn are a chain in the loop's cork. While the socket is full, bytes wait in the queue of a `Stall`,
/// too. It counts them all; the connection sends and calls its delegate.
/// - Confinement: loop
struct TCPOutput {
    /// Bytes that neither the kernel nor a pending write request has.
    private(set) var waitingBytes = 0
    /// The bytes written in this turn.
    private(set) var chain = Cork.Chain()
    /// The connection counts as congested when `waitingBytes` exceeds this.
    var bytesHigh = Int32(256 << 10)
    /// A congested connection gets `drained` when the queue falls to this; in bytes.
    var bytesLow = Int32(64 << 10)
    /// Whether the queue went above the high mark and has not fallen to the low one since.
    var isCongested = false
    /// Whether the connection is registered for the end of the turn.
    var isFlushRequested = false

    /// Appends bytes, by reference.
    /// - Parameter stall: gets the bytes instead of the cork.
    /// - Returns: whether they are the first of their turn in the cork, which must be flushed at its end.
    mutating func append(_ bytes: [UInt8], to stall: Stall?, on loop: Loop) -> Bool {
        count(bytes.count, on: loop)
        let isFirst = stall == nil && chain.isEmpty
        if let stall { stall.queue.append(bytes) } else { loop.turnEnd.cork.append(bytes, to: &chain) }
        noteCongestion(on: loop)
        return isFirst
    }

    /// Notes whether the queue is above the high mark: the connection's own, or a lower one when all connections hold too
    /// much.
    mutating func noteCongestion(on loop: Loop) {
        if waitingBytes > min(Int(bytesHigh), loop.queueBytesMax) { isCongested = true }
    }

    /// The mark to which a congested queue must fall: the connection's own, or a lower one when all connections hold too
    /// much.
    func lowMark(on loop: Loop) -> Int { min(Int(bytesLow), loop.queueBytesMax / 4) }

    /// Removes and returns the turn's chain, which still counts as waiting.
    mutating func takeChain() -> Cork.Chain {
        let taken = chain
        chain = Cork.Chain()
        return taken
    }

    /// Counts bytes as waiting, or no longer as waiting if their number is negative.
    mutating func count(_ bytes: Int, on loop: Loop) {
        waitingBytes += bytes
        loop.queuedBytes += bytes
    }
}
