import Model
import Synchronization
import Telemetry

/// A clock that a test moves, beside the machine's own.
final class MovedClock: Sendable {
    private let ahead = Atomic<Int64>(0)

    var now: Timestamp {
        WallClock.system.now().adding(milliseconds: ahead.load(ordering: .relaxed))
    }

    func move(milliseconds: Int64) { ahead.add(milliseconds, ordering: .relaxed) }
}
