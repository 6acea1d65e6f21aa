internal import Foundation
package import Model
import Synchronization

/// Gives the present time; a parameter, so that tests and the simulation can set it.
///
/// - Confinement: any
package struct WallClock: Sendable {
    /// The present time.
    package let now: @Sendable () -> Timestamp
    /// How many milliseconds the machine's clock is ahead of ``now`` while it is not believed; else nil.
    package let heldMilliseconds: @Sendable () -> Int64?

    package init(
        now: @escaping @Sendable () -> Timestamp, heldMilliseconds: @escaping @Sendable () -> Int64? = { nil }
    ) {
        self.now = now
        self.heldMilliseconds = heldMilliseconds
    }

    /// The machine's clock.
    package static let system = WallClock {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// The machine's clock; when it jumps, the old time goes on for a while (see `ClockTrust`).
    package static let steady: WallClock = {
        let time = TrustedTime()
        return WallClock(now: { time.now }, heldMilliseconds: { time.heldMilliseconds })
    }()
}

/// The machine's clock as ``ClockTrust`` believes it, for all threads of the process.
///
/// - Confinement: any
private final class TrustedTime: Sendable {
    /// Protected by its lock, which is held for two comparisons.
    private let trust = Mutex(ClockTrust(wall: WallClock.system.now().milliseconds, steady: SteadyTime.now))

    var now: Timestamp {
        let milliseconds = trust.withLock {
            $0.time(wall: WallClock.system.now().milliseconds, steady: SteadyTime.now)
        }
        return Timestamp(milliseconds: milliseconds)
    }

    var heldMilliseconds: Int64? { trust.withLock { $0.heldMilliseconds } }
}
