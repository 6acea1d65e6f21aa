internal import Foundation
import Glibc
import Synchronization

/// A port that passes bytes on to another one of this machine, until its connections are cut.
/// - Confinement: any
package final class CutRelay: Sendable {
    private let listener: LoopbackListener
    private let open = Mutex<[Int32]>([])
    private let count = Mutex(0)
    private let lag: Double

    /// Starts to listen.
    /// - Parameter lag: How many seconds bytes to the client wait, so that those that come meanwhile arrive with them.
    package init(to target: UInt16, lag: Double = 0) throws {
        self.lag = lag
        listener = try LoopbackListener()
        listener.accept { [self] in pass($0, to: target) }
    }

    package var port: UInt16 { listener.port }

    /// The connections that were cut so far.
    package var cuts: Int { count.withLock { $0 } }

    /// Ends all connections, in the middle of whatever is under way.
    package func cut() {
        let ended = open.withLock { sockets in
            defer { sockets = [] }
            for socket in sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            return sockets.count / 2
        }
        count.withLock { $0 += ended }
    }

    /// Stops listening.
    package func stop() {
        listener.stop()
        cut()
    }

    private func pass(_ accepted: Int32, to target: UInt16) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LoopbackListener.address(target)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(other, $0, size) == 0
            }
        }
        guard isConnected else {
            _ = close(accepted)
            _ = close(other)
            return
        }
        open.withLock { $0 += [accepted, other] }
        for (from, to, lag) in [(accepted, other, 0), (other, accepted, lag)] {
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    if lag > 0, unsafe recv(from, &buffer, 1, Int32(MSG_PEEK)) == 1 {
                        Thread.sleep(forTimeInterval: lag)
                    }
                    let received = unsafe recv(from, &buffer, buffer.count, 0)
                    guard received > 0, unsafe send(to, buffer, received, Int32(MSG_NOSIGNAL)) == received
                    else {
                        break
                    }
                }
                // The descriptors stay open: another connection must not get their numbers while this one is passed on.
                _ = shutdown(from, Int32(SHUT_RDWR))
                _ = shutdown(to, Int32(SHUT_RDWR))
            }
        }
    }
}
