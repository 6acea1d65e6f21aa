import Glibc
import Synchronization

/// A blocking TCP connection to a port of this machine: with it a test sends and reads exact bytes.
///
/// Reading waits at most ``patienceMilliseconds``, so that a silent server fails the test instead of hanging it.
/// - Confinement: one thread at a time
package final class TCPSocket {
    /// Why a socket failed.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// How long a read waits before it fails.
    package var patienceMilliseconds: Int32 = 60_000
    private var descriptor: Int32

    /// Connects to 127.0.0.1.
    /// - Parameter receiveBufferBytes: The kernel's buffer; a small one makes a reader that is soon full.
    package init(port: UInt16, receiveBufferBytes: Int32? = nil) throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no descriptor: errno \(errno)") }
        if var size = receiveBufferBytes {
            let length = socklen_t(MemoryLayout<Int32>.size)
            unsafe _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
        var on: Int32 = 1
        unsafe _ = setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
        var address = LoopbackListener.address(port)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let reason = errno
            _ = Glibc.close(descriptor)
            descriptor = -1
            throw Failure(description: "cannot connect to port \(port): errno \(reason)")
        }
    }

    deinit { close() }

    /// Sends all bytes.
    /// - Throws: when the peer is gone.
    package func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw Failure(description: "cannot send: errno \(errno)") }
            sent += count
        }
    }

    /// Sends text unchanged.
    package func send(_ text: String) throws(Failure) { try send(Array(text.utf8)) }

    /// Waits for bytes.
    /// - Returns: the bytes that have arrived, at most 64 KiB; none when the peer has ended.
    /// - Throws: when the peer was silent for too long.
    package func receive() throws(Failure) -> [UInt8] {
        guard isReadable(withinMilliseconds: patienceMilliseconds) else {
            throw Failure(description: "nothing came for \(patienceMilliseconds) ms")
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return [] }
        return Array(buffer.prefix(count))
    }

    /// Whether something can be read, be it the end.
    package func isReadable(withinMilliseconds milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }

    /// Ends this side; what the peer sends can still be read.
    package func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends it.
    package func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}
