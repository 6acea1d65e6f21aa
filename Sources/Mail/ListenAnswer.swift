package import EventLoop
internal import Foundation
import Synchronization

/// Where a loop listens now, or why it does not: what whoever started it waits for.
///
/// - Confinement: any
package final class ListenAnswer: Sendable {
    /// Filled once. Protected by its lock.
    private let result = Mutex<Result<[SocketAddress], UVError>?>(nil)
    private let filled = DispatchSemaphore(value: 0)

    package init() {}

    /// Tells it, on the loop.
    package func fill(_ answer: Result<[SocketAddress], UVError>) {
        result.withLock { $0 = answer }
        filled.signal()
    }

    /// Waits until it is told, on another thread.
    package func wait() -> Result<[SocketAddress], UVError> {
        while true {
            filled.wait()
            if let answer = result.withLock({ $0 }) { return answer }
        }
    }
}
