/// Loops without threads of their own: all belong to the thread that made the stage, which turns them by hand.
///
/// So a simulation decides about the order of events; the code on the loops does not notice.
/// - Confinement: the thread that made it
package final class LoopStage {
    /// The loops that were not stopped yet, in the order of their making.
    package private(set) var loops: [Loop] = []

    package init() {}

    /// Makes a loop. It does not time its work, because results that depend on the processor would not be repeatable.
    package func makeLoop() throws(UVError) -> Loop {
        let loop = try Loop()
        loop.measuresReads = false
        loops.append(loop)
        return loop
    }

    /// Turns one loop; a stopped loop is ended and leaves the stage.
    package func turn(_ loop: Loop) {
        loop.turn()
        guard loop.isStopping else { return }
        loops.removeAll { $0 === loop }
        loop.run()
    }

    /// Turns all loops a few times, enough for a question and its answer.
    package func settle() {
        for _ in 0..<4 {
            for loop in loops { turn(loop) }
        }
    }

    /// Ends all loops in any state, as if the process had died.
    package func abandon() {
        let abandoned = loops
        loops = []
        for loop in abandoned {
            loop.stop()
            loop.run()
        }
    }
}

@available(*, unavailable)
extension LoopStage: Sendable {}
