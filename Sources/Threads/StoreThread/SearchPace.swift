import Model

/// How long the thread that indexes messages pauses between two slices.
///
/// A processor that indexes slows the ones that write, whatever its priority: they share caches and the disk. In a burst writes go
/// first, and the index follows when the burst is over, or when it is too late.
///
/// - Confinement: any
struct SearchPace {
    /// Milliseconds over which the growth of the log is measured, at least.
    private static let windowMilliseconds: Int64 = 200
    /// Waiting writes from which on it is a burst at any pace: more could be written if others took less time.
    static let waitingMin = 256

    private var from: (head: Position, time: Int64)?
    private var isBurst = false

    /// - Parameters:
    ///   - worked: milliseconds of the last slice.
    ///   - head: the end of the log.
    ///   - lag: how far it goes beyond the index.
    ///   - waiting: how many writes wait: a machine that is slow, or has much else to do, is at its limit with fewer entries.
    ///   - now: steady milliseconds.
    /// - Returns: milliseconds until the next slice, if there is more to index.
    mutating func pause(after worked: Int64, _ head: Position, lag: Int64, waiting: Int, at now: Int64) -> Int64 {
        if let from, now - from.time >= Self.windowMilliseconds {
            isBurst = (head.value - from.head.value) * 1000 >= SearchLimits.burstEntries * (now - from.time)
            self.from = (head, now)
        } else if from == nil {
            from = (head, now)
        }
        guard isBurst || waiting >= Self.waitingMin, lag < SearchLimits.burstLag else { return 1 }
        return max(1, worked * SearchLimits.burstPause)
    }
}
