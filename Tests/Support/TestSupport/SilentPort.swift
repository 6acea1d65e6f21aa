import Glibc

/// A port of every loopback address that takes connections and never says anything.
/// - Confinement: any
package final class SilentPort: Sendable {
    package let port: UInt16
    private let listener: Int32

    /// Begins to listen. The system takes the connections; nobody reads them.
    package init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, size) == 0 && listen(descriptor, 512) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw TCPSocket.Failure(description: "no port: errno \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { _ = close(listener) }
}
