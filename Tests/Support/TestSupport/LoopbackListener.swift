internal import Foundation
import Glibc

/// A listening socket on a port of this machine, whose connections a thread accepts.
///
/// - Confinement: any
struct LoopbackListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// Starts to listen; ``accept(_:)`` must follow.
    /// - Parameter wanted: The port; 0 is a free one.
    init(on wanted: UInt16 = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var isReused: Int32 = 1
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout.size(ofValue: isReused)))
        var address = Self.address(wanted)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard result else { throw TCPSocket.Failure(description: "no port: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Gives each connection to `take`, on a thread of its own, until ``stop()``.
    func accept(_ take: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [descriptor] in
            while true {
                let accepted = Glibc.accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                take(accepted)
            }
        }
    }

    /// Stops listening.
    func stop() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The address of a port of this machine.
    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}
