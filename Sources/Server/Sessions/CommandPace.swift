import ClientProtocol
import Model

/// How fast one session may send commands: a bucket of tokens, refilled continuously.
///
/// - Confinement: any
struct CommandPace {
    /// Thousandths of a command that may come at once.
    private var tokens = Int64(Limits.commandsBurst) * 1000
    private var refilledAt: Int64

    /// - Parameter now: monotonic milliseconds.
    init(at now: Int64) { refilledAt = now }

    /// Takes one command.
    ///
    /// - Returns: nil when it may come; otherwise the milliseconds to wait.
    mutating func take(at now: Int64) -> Int64? {
        let elapsed = max(0, min(now - refilledAt, 60_000))
        tokens = min(tokens + elapsed * Int64(Limits.commandsPerSecond), Int64(Limits.commandsBurst) * 1000)
        refilledAt = now
        guard tokens >= 1000 else { return (1000 - tokens) / Int64(Limits.commandsPerSecond) + 1 }
        tokens -= 1000
        return nil
    }
}

extension Refusal {
    /// A command came too soon behind others.
    static func tooFast(_ waitMilliseconds: Int64) -> Refusal {
        Refusal(
            .rateLimited, "at most \(Limits.commandsPerSecond) commands a second",
            retryAfterMilliseconds: waitMilliseconds)
    }
}
