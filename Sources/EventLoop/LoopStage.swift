/// Loops that have no threads of their own: all belong to the thread that made the stage, which turns them by hand.
///
/// A simulation decides so what happens before what; the code on the loops cannot tell.
/// - Confinement: the thread that made it
package final class LoopStage {
    /// Those that were not stopped yet, in the order in which they were made.
    package private(set) var loops: [Loop] = []

    package init() {}

    /// Makes a loop. It does not measure what costs how much: what the processor's time decided would not be repeatable.
    package func makeLoop() throws(UVError) -> Loop {
        let loop = try Loop()
        loop.measuresReads = false
        loops.append(loop)
        return loop
    }

    /// Turns one loop; one that was stopped meanwhile is ended and leaves the stage.
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

    /// Ends all loops, whatever they were doing: the process has died.
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
