import Model

/// The work that one rendering may still take: lists in lists multiply.
///
/// All values of one rendering share it. When it is used up, lists end and texts are empty.
///
/// - Confinement: store
final class RenderBudget {
    private var steps: Int
    private var bytes = TriggerLimits.templateBytesOut
    private let given: Int
    /// Whether more work was asked for than the budget had.
    private(set) var isSpent = false

    init(steps: Int = TriggerLimits.templateStepsMax) {
        self.steps = steps
        given = steps
    }

    /// The work that was taken.
    var work: Int {
        (given - steps) * TriggerLimits.templateStepWork
            + (TriggerLimits.templateBytesOut - bytes) / TriggerLimits.bytesPerWork
    }

    /// Takes the members of an object that are walked to find one; false when fewer are left.
    func walk(_ members: Int) -> Bool {
        guard !isSpent, bytes >= members else {
            isSpent = true
            return false
        }
        bytes -= members
        return true
    }

    /// Takes one step that writes `count` bytes; false when the budget has less.
    func take(bytes count: Int) -> Bool {
        guard !isSpent, steps > 0, bytes >= count else {
            isSpent = true
            return false
        }
        steps -= 1
        bytes -= count
        return true
    }
}

@available(*, unavailable)
extension RenderBudget: Sendable {}
