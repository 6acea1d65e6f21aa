import Configuration
import EventLoop
internal import Foundation

/// A loop that is turned by hand, for questions before a server's threads start.
///
/// Its owner must `close()` it.
///
/// - Confinement: the thread that made it
struct TurnedLoop {
    let loop: Loop

    /// - Throws: ``StartProblem`` without a descriptor for it.
    init() throws(StartProblem) {
        do {
            loop = try Loop()
        } catch {
            throw StartProblem(isConfiguration: false, "there is no loop for questions to other servers: \(error)")
        }
    }

    /// Ends it, when all that used it is closed.
    func close() {
        loop.stop()
        loop.run()
    }

    /// Turns the loop until a condition holds.
    ///
    /// - Parameter isBusy: Asked after each turn; while it returns true there is no pause between turns.
    /// - Returns: whether it held in time.
    @discardableResult
    func wait(
        milliseconds: Int64, isBusy: () -> Bool = { false }, until isTrue: () -> Bool
    ) -> Bool {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while !isTrue() {
            guard ContinuousClock.now < end else { return false }
            loop.turn()
            if !isBusy() { Thread.sleep(forTimeInterval: 0.001) }
        }
        return true
    }
}
