import Model

/// Counts the work that trigger rows cause in one write, and limits the work of the next evaluation.
///
/// The unit is a step of SQLite's virtual machine, about 25 ns; other work is counted as a number of steps. Work is
/// counted and not timed, so that the same input gives the same result on every machine; see <doc:TriggerWork>.
///
/// - Confinement: store
package final class WorkMeter {
    /// The counts of one write. They are one value, since each write begins them, and Swift checks exclusive access to
    /// each field of an object.
    private struct Counts {
        var spent = 0
        var wasted = 0
        var spentInRun = 0
        var ranOut = false
        var dearest: (trigger: String, work: Int)?
        /// The work that the running row may cause at least, however much others have wasted.
        var floor = TriggerLimits.workFloor
    }

    private var counts = Counts()

    package init() {}

    /// Work with a result: evaluations with a value, renderings, and their writes.
    package var spent: Int { counts.spent }
    /// Work of evaluations that ran out of their budget.
    package var wasted: Int { counts.wasted }
    /// Work of the row that is running.
    package var spentInRun: Int { counts.spentInRun }
    /// Whether an evaluation of the running row ran out of its budget.
    package var ranOut: Bool { counts.ranOut }
    /// The row that caused the most work in this write, and the amount.
    package var dearest: (trigger: String, work: Int)? { counts.dearest }

    /// Whether the write has used up its work.
    package var isSpent: Bool { spent >= TriggerLimits.workMax || wasted >= TriggerLimits.wasteMax }

    /// Whether useful work alone has used it up.
    package var isSpentWell: Bool { spent >= TriggerLimits.workMax }

    /// Begins a write.
    package func beginWrite() {
        counts = Counts()
    }

    /// Begins a row's work for a change.
    ///
    /// - Parameter usualWork: The most work that the row caused without running out; it may cause twice that, however
    ///   much others have wasted.
    package func beginRun(usualWork: Int) {
        counts.spentInRun = 0
        counts.ranOut = false
        counts.floor = max(TriggerLimits.workFloor, 2 * usualWork)
    }

    /// Ends a row's work.
    package func endRun(of trigger: String) {
        if spentInRun > dearest?.work ?? 0 { counts.dearest = (trigger, spentInRun) }
    }

    /// The budget of an evaluation that would get `full` at the beginning of a write.
    package func allowance(of full: Int) -> Int {
        let left = isSpentWell ? TriggerLimits.workFloor : full
        return min(full, left, max(counts.floor, TriggerLimits.wasteMax - wasted))
    }

    /// Counts work with a result.
    package func charge(_ work: Int) {
        counts.spent += work
        counts.spentInRun += work
    }

    /// Counts an evaluation that ran out of its budget.
    package func chargeOverrun(_ work: Int) {
        counts.wasted += work
        counts.spentInRun += work
        counts.ranOut = true
    }
}

@available(*, unavailable)
extension WorkMeter: Sendable {}
