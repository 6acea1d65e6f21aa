import Model

/// Counts the work that trigger rows cause in one write, and says how much the next evaluation may take.
///
/// The unit is a step of SQLite's virtual machine, some 25 ns; what is not a step is counted as so many. Counted and not
/// timed, so that the same input gives the same result on every machine; see <doc:TriggerWork>.
///
/// - Confinement: store
package final class WorkMeter {
    /// Work that led to something: evaluations with a value, renderings, what they wrote.
    package private(set) var spent = 0
    /// Work of the evaluations that ran out of their budget.
    package private(set) var wasted = 0
    /// Work of the row that runs now.
    package private(set) var spentInRun = 0
    /// Whether an evaluation of the row that runs now ran out of its budget.
    package private(set) var ranOut = false
    /// The row that has caused the most work in this write, and how much.
    package private(set) var dearest: (trigger: String, work: Int)?
    /// What the row that runs now may take when much was wasted before it.
    private var floor = TriggerLimits.workFloor

    package init() {}

    /// Whether the write has caused all the work that one may cause.
    package var isSpent: Bool { spent >= TriggerLimits.workMax || wasted >= TriggerLimits.wasteMax }

    /// Whether that is the work of rows that did what they are there for.
    package var isSpentWell: Bool { spent >= TriggerLimits.workMax }

    /// A write begins.
    package func beginWrite() {
        (spent, wasted, dearest) = (0, 0, nil)
        beginRun(usualWork: 0)
    }

    /// A row begins with a change.
    ///
    /// - Parameter usualWork: the most that it took when it did not run out: it is given twice that, however much others
    ///   have wasted.
    package func beginRun(usualWork: Int) {
        spentInRun = 0
        ranOut = false
        floor = max(TriggerLimits.workFloor, 2 * usualWork)
    }

    /// The row has ended.
    package func endRun(of trigger: String) {
        if spentInRun > dearest?.work ?? 0 { dearest = (trigger, spentInRun) }
    }

    /// What an evaluation may take that has `full` where nothing was spent before it.
    package func allowance(of full: Int) -> Int {
        let left = isSpentWell ? TriggerLimits.workFloor : full
        return min(full, left, max(floor, TriggerLimits.wasteMax - wasted))
    }

    /// Counts work that led to something.
    package func charge(_ work: Int) {
        spent += work
        spentInRun += work
    }

    /// Counts an evaluation that ran out of its budget.
    package func chargeOverrun(_ work: Int) {
        wasted += work
        spentInRun += work
        ranOut = true
    }
}

@available(*, unavailable)
extension WorkMeter: Sendable {}
