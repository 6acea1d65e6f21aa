import CUV
import Glibc

/// The socket calls that libuv 1.44 does not have: options before bind, a bounded accept, a half close.
/// - Confinement: any
enum Descriptor {
    /// Opens a non-blocking TCP socket that is not inherited by children.
    /// - Throws: the kernel's error, for example `EMFILE`.
    static func openSocket(family: Int32) throws(UVError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        if descriptor < 0 { throw UVError(errno: errno) }
        return descriptor
    }

    /// Opens such a socket to connect from a local address, if there is one.
    /// - Throws: the kernel's error, for example `EADDRNOTAVAIL`.
    static func openSocket(family: Int32, from localAddress: SocketAddress?) throws(UVError) -> Int32 {
        let descriptor = try openSocket(family: family)
        guard let localAddress else { return descriptor }
        // Both ends choose the port at connect: with a bind alone the port would be taken for connections to all servers.
        try? set(IP_BIND_ADDRESS_NO_PORT, at: Int32(IPPROTO_IP), to: 1, on: descriptor)
        do throws(UVError) {
            try bind(descriptor, to: localAddress)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Sets an integer option.
    static func set(_ option: Int32, at level: Int32, to value: Int32, on descriptor: Int32) throws(UVError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        if unsafe setsockopt(descriptor, level, option, &value, size) != 0 { throw UVError(errno: errno) }
    }

    /// Sends each small write at once: answers must not wait for Nagle's algorithm, since the cork already gathers
    /// writes.
    static func setNoDelay(on descriptor: Int32) {
        try? set(TCP_NODELAY, at: Int32(IPPROTO_TCP), to: 1, on: descriptor)
    }

    /// Sends bytes without waiting: one `send`, which costs the kernel less than the `write` of `uv_try_write`.
    /// - Returns: the bytes taken, 0 where the kernel takes none now; libuv's code where it refuses.
    static func send(_ bytes: UnsafeRawBufferPointer, on descriptor: Int32) -> Int {
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        while true {
            let result = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return 0
            case let code: return -Int(code)
            }
        }
    }

    /// Binds to a local address.
    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(UVError) {
        let result = unsafe address.withSockaddr { unsafe Glibc.bind(descriptor, $0, $1) }
        if result != 0 { throw UVError(errno: errno) }
    }

    /// The address a socket is bound to.
    static func localAddress(of descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }

    /// The result of one accept.
    enum Accepted {
        case connection(descriptor: Int32, peer: SocketAddress?)
        /// No connection waits.
        case none
        /// The peer left while it waited, or a signal arrived: try the next one.
        case gone
        /// No descriptor or memory left, or another error.
        case failed(UVError)
    }

    /// Accepts one connection without waiting.
    static func accept(from listener: Int32) -> Accepted {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(listener, $0, &size, flags)
            }
        }
        if descriptor >= 0 { return .connection(descriptor: descriptor, peer: SocketAddress(storage)) }
        switch errno {
        case EAGAIN: return .none
        case EINTR, ECONNABORTED, EPROTO, EPERM: return .gone
        default: return .failed(UVError(errno: errno))
        }
    }

    /// Opens the spare descriptor, which is used when there are none left.
    /// - Returns: -1 when there is none left now.
    static func openSpare() -> Int32 {
        unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
}
