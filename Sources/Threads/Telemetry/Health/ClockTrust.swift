import Model

/// Decides which time to believe when the machine's clock jumps. It takes the readings of two clocks and returns a
/// time.
///
/// A small step, as a time server makes it, is followed at once. After a larger one the old time goes on, measured by
/// the clock that never jumps, until the machine's clock has come back, or has kept its new time for
/// `Limits.clockHeldMilliseconds`. Without this, a clock that is wrong for a minute would end every session (their
/// tokens seem to have expired), fire years of schedules and remove every notification that expires; none of it could
/// be undone.
struct ClockTrust: Sendable {
    /// The believed difference between the wall clock and the steady clock.
    private var offset: Int64
    /// Another difference, and the time on the steady clock when it was first seen.
    private var disputed: (offset: Int64, since: Int64)?

    /// - Parameters:
    ///   - wall: The machine's time in milliseconds since 1970; believed, since there is nothing to compare it with.
    ///   - steady: Milliseconds of a clock that does not jump.
    init(wall: Int64, steady: Int64) { offset = wall - steady }

    /// The believed time, in milliseconds since 1970.
    package mutating func time(wall: Int64, steady: Int64) -> Int64 {
        let seen = wall - steady
        if Self.isNear(seen, offset) {
            offset = seen
            disputed = nil
        } else if let disputed, Self.isNear(seen, disputed.offset) {
            if steady - disputed.since >= Limits.clockHeldMilliseconds {
                offset = seen
                self.disputed = nil
            }
        } else {
            disputed = (seen, steady)
        }
        return steady + offset
    }

    /// How many milliseconds the machine's clock is ahead of the believed time, while it is not believed; else nil.
    package var heldMilliseconds: Int64? { disputed.map { $0.offset - offset } }

    private static func isNear(_ left: Int64, _ right: Int64) -> Bool {
        abs(left - right) <= Limits.clockStepMilliseconds
    }
}
