package import Model
import Synchronization

/// The copies that the server makes by itself, for `GET /v1/backups`.
///
/// - Confinement: any
package final class BackupBoard: Sendable {
    /// A copy that is kept.
    ///
    /// - Confinement: any
    package struct Copy: Sendable, Hashable {
        package let name: String
        /// When it was begun.
        package let at: Timestamp
        package let bytes: Int
        package let hasSecrets: Bool

        package init(name: String, at: Timestamp, bytes: Int, hasSecrets: Bool) {
            self.name = name
            self.at = at
            self.bytes = bytes
            self.hasSecrets = hasSecrets
        }
    }

    /// An attempt that failed.
    ///
    /// - Confinement: any
    package struct Failure: Sendable, Hashable {
        package let at: Timestamp
        /// For the operator.
        package let reason: String

        package init(at: Timestamp, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    /// - Confinement: any
    package struct State: Sendable, Hashable {
        /// The newest first.
        package var copies: [Copy] = []
        /// Since when one is being made; nil while none is.
        package var runsSince: Timestamp?
        /// The newest attempt; nil after one that succeeded.
        package var failure: Failure?

        package init() {}
    }

    /// Protected by its lock, taken for each copy and each answer.
    private let state = Mutex(State())

    package init() {}

    /// The present state.
    package var now: State { state.withLock { $0 } }

    /// Changes what is shown.
    package func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
}
