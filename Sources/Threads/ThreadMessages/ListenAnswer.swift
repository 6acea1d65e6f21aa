package import EventLoop
internal import Foundation
import Synchronization

/// The addresses on which a loop listens, or the reason why it does not; the starting thread waits for it.
///
/// - Confinement: any
package final class ListenAnswer: Sendable {
    /// Filled once. Protected by its lock.
    private let result = Mutex<Result<[SocketAddress], UVError>?>(nil)
    private let filled = DispatchSemaphore(value: 0)

    package init() {}

    /// Sets the answer, on the loop.
    package func fill(_ answer: Result<[SocketAddress], UVError>) {
        result.withLock { $0 = answer }
        filled.signal()
    }

    /// Waits for the answer, on another thread.
    package func wait() -> Result<[SocketAddress], UVError> {
        while true {
            filled.wait()
            if let answer = result.withLock({ $0 }) { return answer }
        }
    }
}
