import Model

/// What one rendering may still take: lists in lists multiply.
///
/// Shared by all values of one rendering; when it is spent, lists end and texts are empty.
///
/// - Confinement: store
final class RenderBudget {
    private var steps: Int
    private var bytes = TriggerLimits.templateBytesOut
    private let given: Int
    /// Whether more was asked for than there is.
    private(set) var isSpent = false

    init(steps: Int = TriggerLimits.templateStepsMax) {
        self.steps = steps
        given = steps
    }

    /// The work of what was taken.
    var work: Int {
        (given - steps) * TriggerLimits.templateStepWork
            + (TriggerLimits.templateBytesOut - bytes) / TriggerLimits.bytesPerWork
    }

    /// Takes the members of an object that are walked to find one; false when that is more than is left.
    func walk(_ members: Int) -> Bool {
        guard !isSpent, bytes >= members else {
            isSpent = true
            return false
        }
        bytes -= members
        return true
    }

    /// Takes one step which puts out `count` bytes; false when that is more than is left.
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
