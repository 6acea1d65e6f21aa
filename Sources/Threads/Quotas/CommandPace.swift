import Model

/// How fast one session may send: a bucket of tokens, refilled continuously. A command takes its weight, and any frame
/// that is not a command's first takes one; what is refused takes one, too, or the weight of its bytes, so that a
/// client that does not wait gets nowhere.
///
/// - Confinement: any
package struct CommandPace: Sendable {
    /// Thousandths of a command that may come at once.
    private var tokens = Int32(Limits.commandsBurst) * 1000
    /// The clock's lower half: what is longer ago than that turns round in, 49 days, has filled the bucket anyhow.
    private var refilledAt: UInt32

    /// - Parameter now: monotonic milliseconds.
    package init(at now: Int64) { refilledAt = UInt32(truncatingIfNeeded: now) }

    /// Takes a command of some weight, or, where that is too much, the weight of its refusal.
    ///
    /// - Returns: nil when it may come; otherwise the milliseconds after which it may.
    package mutating func take(_ weight: Int = 1, refused: Int = 1, at now: Int64) -> Int64? {
        refill(at: now)
        let isTaken = Int64(tokens) >= Int64(weight) * 1000
        takeFrames(isTaken ? weight : refused, at: now)
        return isTaken ? nil : wait(for: weight)
    }

    /// The milliseconds after which a message of some weight may come.
    package func wait(for weight: Int) -> Int64 {
        max(1, (Int64(weight) * 1000 - Int64(tokens) - 1) / Int64(Limits.commandsPerSecond) + 1)
    }

    /// Takes frames that are no commands: pings, pieces of messages.
    package mutating func takeFrames(_ count: Int, at now: Int64) {
        refill(at: now)
        tokens = Int32(clamping: Int64(tokens) - Int64(count) * 1000)
    }

    private mutating func refill(at now: Int64) {
        let now = UInt32(truncatingIfNeeded: now)
        let elapsed = Int64(min(now &- refilledAt, 60_000))
        let refilled = Int64(tokens) + elapsed * Int64(Limits.commandsPerSecond)
        tokens = Int32(clamping: min(refilled, Int64(Limits.commandsBurst) * 1000))
        refilledAt = now
    }

    /// Whether the client has sent so much that it cannot be one that waits when it is asked to.
    package var isFlooded: Bool { tokens < -Int32(Limits.commandsOverdraft) * 1000 }
}
