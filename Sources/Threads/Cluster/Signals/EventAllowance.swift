import Model

/// How many events outside of the log a node may still send the others in this second. A value: times are parameters.
///
/// - Confinement: any
struct EventAllowance: Sendable {
    private var beganAt = Int64.min
    private var (events, bytes) = (0, 0)

    /// - Returns: whether an event of this size may be sent; then it counts.
    mutating func take(_ size: Int, at now: Int64) -> Bool {
        if beganAt == .min || now - beganAt >= 1000 { (beganAt, events, bytes) = (now, 0, 0) }
        guard size <= SignalLimits.messageBytesMax, events < SignalLimits.eventsPerSecond,
            bytes + size <= SignalLimits.eventBytesPerSecond
        else { return false }
        events += 1
        bytes += size
        return true
    }
}
