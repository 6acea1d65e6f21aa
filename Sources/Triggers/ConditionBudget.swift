import Foundation
import Model

/// What one evaluation of an expression may still take: SQLite's callback and the functions of ``ConditionTexts`` draw
/// on it.
///
/// Counted in steps first. The clock is the last line of defence, for steps that take long. That makes the outcome of a
/// costly expression depend on the machine, which is allowed: what other nodes apply is what was written, not the
/// command. The time is that of the thread, so that a busy machine fails nothing.
///
/// - Confinement: store
final class ConditionBudget {
    private var left = 0
    /// Steps that it began with.
    private(set) var given = 0
    /// When it began, in nanoseconds of the clock on the wall.
    private var began: UInt64 = 0
    /// What both clocks said some time before that: the thread's is dear to ask.
    private var mark: (wall: UInt64, thread: UInt64) = (0, 0)
    private var nanosecondsMax: UInt64 = 0
    /// Time after which the mark is set anew.
    private static let markNanoseconds: UInt64 = 5_000_000
    /// Time below which the steps say enough of what an evaluation took.
    private static let shortNanoseconds: UInt64 = 200_000
    /// Time that an evaluation has whatever was taken before it: several times what its 2,000 steps take.
    private static let nanosecondsMin = 300_000

    /// As many steps as take a quarter of its time, which is what they do when none is slow.
    var stepsOfItsTime: Int { Int(nanosecondsMax / 100) }
    /// Milliseconds it may take, for people: rounded up.
    var millisecondsMax: Int { Int((nanosecondsMax + 999_999) / 1_000_000) }
    /// Whether the time ended it.
    private(set) var isTooLate = false

    /// The first call of a date function that came to nothing though it was given a text: `date('2026-13-04')`.
    private(set) var refusedDate: String?

    /// Notes such a call.
    func note(refusedDate call: String) { refusedDate = refusedDate ?? call }

    /// Steps that have been counted.
    var taken: Int { given - left }

    /// - Parameters:
    ///   - steps: what it may take.
    ///   - full: what it might if nothing had been taken in the write before; the time shrinks with it.
    func begin(steps: Int, of full: Int) {
        left = steps
        given = steps
        isTooLate = false
        if refusedDate != nil { refusedDate = nil }
        began = Self.nanoseconds(CLOCK_MONOTONIC)
        if mark.wall == 0 || began - mark.wall > Self.markNanoseconds { setMark(began) }
        let nanoseconds = TriggerLimits.conditionMillisecondsMax * 1_000_000 * steps / max(1, full)
        nanosecondsMax = UInt64(max(Self.nanosecondsMin, nanoseconds))
    }

    /// Takes steps, or work that is as much.
    ///
    /// - Returns: false when it is more than is left, and everything is to end.
    func take(_ steps: Int) -> Bool {
        left -= steps
        return left >= 0
    }

    /// Steps that are left.
    var rest: Int { max(0, left) }

    /// Looks at the clock.
    ///
    /// - Returns: false when the time is over.
    func look() -> Bool {
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        guard wall - began > nanosecondsMax else { return true }
        isTooLate = time(until: wall) > nanosecondsMax
        return !isTooLate
    }

    /// The evaluation has ended.
    ///
    /// - Returns: its work: what was counted, or by the clock, where that is more.
    func end() -> Int {
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        guard wall - began > Self.shortNanoseconds else { return taken }
        let time = time(until: wall)
        isTooLate = time > nanosecondsMax
        setMark(wall)
        return max(taken, Int(time / 25))
    }

    /// The thread's time of the evaluation: at least so much, since between the mark and its beginning the thread may have
    /// run all the while.
    private func time(until wall: UInt64) -> UInt64 {
        let thread = Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        let before = mark.thread + (began - mark.wall)
        return min(wall - began, thread > before ? thread - before : 0)
    }

    private func setMark(_ wall: UInt64) { mark = (wall, Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID)) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

@available(*, unavailable)
extension ConditionBudget: Sendable {}
