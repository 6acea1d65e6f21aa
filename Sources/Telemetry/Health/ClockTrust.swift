import Model

/// Decides which time is believed when the machine's clock jumps: two clocks in, a time out.
///
/// A step that a time server makes is taken over at once. After a greater one the old time goes on, measured by the
/// clock that never jumps, until the machine's clock has come back or has stood by its new time for
/// `Limits.clockHeldMilliseconds`. Without this a clock that is wrong for a minute would end every session (their
/// tokens seem to have expired), fire years of schedules and take away every notification that ever expires, and none
/// of it could be undone.
struct ClockTrust: Sendable {
    /// Wall clock less steady clock, as believed.
    private var offset: Int64
    /// Another difference, seen for the first time at `since` of the steady clock.
    private var disputed: (offset: Int64, since: Int64)?

    /// - Parameters:
    ///   - wall: milliseconds since 1970 as the machine says, believed since nothing speaks against it.
    ///   - steady: milliseconds of a clock that does not jump.
    init(wall: Int64, steady: Int64) { offset = wall - steady }

    /// The time to go by, in milliseconds since 1970.
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

    /// By how many milliseconds the machine's clock is ahead of the time to go by, while it is not believed; else nil.
    package var heldMilliseconds: Int64? { disputed.map { $0.offset - offset } }

    private static func isNear(_ left: Int64, _ right: Int64) -> Bool {
        abs(left - right) <= Limits.clockStepMilliseconds
    }
}
