internal import Foundation
package import Model

/// Where the present comes from; a parameter, so that tests and the simulation decide it.
///
/// - Confinement: any
package struct WallClock: Sendable {
    /// The present.
    package let now: @Sendable () -> Timestamp

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// The machine's clock.
    package static let system = WallClock {
        Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
