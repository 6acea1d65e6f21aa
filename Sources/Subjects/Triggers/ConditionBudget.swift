import Foundation
import Model

/// The steps and the time that one evaluation of an expression may still take: SQLite's callback and the functions of
/// ``ConditionTexts`` draw on it.
///
/// The budget is counted in steps first. The clock is the last line of defence, against steps that take long. So the
/// outcome of a costly expression may depend on the machine. That is allowed, because a replay of the log applies the
/// stored results and evaluates nothing. The clock counts the time of the thread, so that a busy machine causes no
/// failures.
///
/// - Confinement: store
final class ConditionBudget {
    private var left = 0
    /// Steps at the beginning.
    private(set) var given = 0
    /// When the evaluation began, in nanoseconds of the monotonic clock.
    private var began: UInt64 = 0
    /// The monotonic clock and the thread's clock at some time before that: asking for the thread's clock is expensive.
    private var mark: (wall: UInt64, thread: UInt64) = (0, 0)
    private var nanosecondsMax: UInt64 = 0
    /// The mark is renewed after this time.
    private static let markNanoseconds: UInt64 = 5_000_000
    /// Below this time, the number of steps describes the work of an evaluation well enough.
    private static let shortNanoseconds: UInt64 = 200_000
    /// The least time that an evaluation gets, whatever others took before it: several times the duration of 2,000
    /// steps.
    private static let nanosecondsMin = 300_000

    /// The number of steps that take a quarter of the allowed time, when none is slow.
    var stepsOfItsTime: Int { Int(nanosecondsMax / 100) }
    /// The allowed time in milliseconds, rounded up, for messages.
    var millisecondsMax: Int { Int((nanosecondsMax + 999_999) / 1_000_000) }
    /// Whether the evaluation was stopped because its time was over.
    private(set) var isTooLate = false

    /// The first call of a date function that gave NULL for a text: `date('2026-13-04')`.
    private(set) var refusedDate: String?

    /// Notes such a call.
    func note(refusedDate call: String) { refusedDate = refusedDate ?? call }

    /// Steps taken so far.
    var taken: Int { given - left }

    /// - Parameters:
    ///   - steps: The steps that the evaluation may take.
    ///   - full: The steps that it might take if the write had caused no work before; the allowed time shrinks in
    ///     proportion.
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

    /// Takes steps, or other work of the same amount.
    ///
    /// - Returns: false when fewer are left; then the evaluation must end.
    func take(_ steps: Int) -> Bool {
        left -= steps
        return left >= 0
    }

    /// Steps left.
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

    /// Ends the evaluation.
    ///
    /// - Returns: its work: the counted steps, or the work that its time stands for, where that is more.
    func end() -> Int {
        let wall = Self.nanoseconds(CLOCK_MONOTONIC)
        guard wall - began > Self.shortNanoseconds else { return taken }
        let time = time(until: wall)
        isTooLate = time > nanosecondsMax
        setMark(wall)
        return max(taken, Int(time / 25))
    }

    /// The least time that the thread spent on the evaluation: it may have run all the time between the mark and the
    /// beginning.
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
