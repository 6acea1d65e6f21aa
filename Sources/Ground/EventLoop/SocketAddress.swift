import CUV
import Glibc

/// A numeric IPv4 or IPv6 address with a port: 24 bytes without an allocation, text only when asked.
///
/// Host names are not read here; `Loop.resolve` looks them up, which blocks. IPv6 scope ids are not supported.
/// - Confinement: any
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in network order; IPv4 uses the first four bytes.
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    /// The TCP port; 0 lets the kernel choose.
    package var port: UInt16 = 0
    /// Whether this is an IPv6 address.
    package private(set) var isIPv6 = false

    /// Reads `127.0.0.1:8080` or `[::1]:0`.
    /// - Throws: `UVError.invalid` when the text has another form.
    package init(_ text: String) throws(UVError) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { throw .invalid }
        var host = text[..<colon]
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]"), host.utf8.count > 2 {
            host = host.dropFirst().dropLast()
            guard host.utf8.contains(UInt8(ascii: ":")) else { throw .invalid }
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            throw .invalid
        }
        let digits = text[colon...].utf8.dropFirst()
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(text[colon...].dropFirst())
        else { throw .invalid }
        try self.init(host: String(host), port: port)
    }

    /// Makes an address from a numeric host without brackets and a port.
    /// - Throws: `UVError.invalid` when the host is not numeric.
    package init(host: String, port: UInt16) throws(UVError) {
        guard !host.utf8.contains(0) else { throw .invalid }
        self.port = port
        self.isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        var words = (UInt64(0), UInt64(0))
        let result = unsafe uv_inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &words)
        try UVError.check(result)
        (first, second) = words
    }

    /// Reads an address from the kernel.
    /// - Returns: nil for a family other than IPv4 and IPv6.
    init?(_ storage: sockaddr_storage) {
        let words = unsafe withUnsafeBytes(of: storage) { bytes -> (UInt64, UInt64, UInt16)? in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
                return (UInt64(address.sin_addr.s_addr), 0, address.sin_port)
            case AF_INET6:
                let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
                return unsafe (
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
                )
            default:
                return nil
            }
        }
        guard let words else { return nil }
        (first, second) = (words.0, words.1)
        port = UInt16(bigEndian: words.2)
        isIPv6 = Int32(storage.ss_family) == AF_INET6
    }

    /// Whether it is a loopback address, which other machines cannot reach: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        let (high, low) = words
        guard isIPv6 else { return low >> 24 == 127 }
        return high == 0 && (low == 1 || low >> 24 == 0xffff7f)
    }

    /// The address as numbers in the order of its text; IPv4 uses the lowest four bytes of the second.
    package var words: (high: UInt64, low: UInt64) {
        if isIPv6 { return (UInt64(bigEndian: first), UInt64(bigEndian: second)) }
        return (0, UInt64(UInt32(bigEndian: UInt32(truncatingIfNeeded: first))))
    }

    /// The numeric host, without brackets.
    package var host: String {
        var words = (first, second)
        var text = [CChar](repeating: 0, count: 64)
        let result = unsafe uv_inet_ntop(isIPv6 ? AF_INET6 : AF_INET, &words, &text, text.count)
        guard result == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The text that `init(_:)` reads: `127.0.0.1:8080`, `[::1]:8080`.
    package var description: String {
        isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The socket family, `AF_INET` or `AF_INET6`.
    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    /// Lends the address in the kernel's form.
    @unsafe
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                unsafe bytes.storeBytes(of: first, as: UInt64.self)
                unsafe bytes.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
            }
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(truncatingIfNeeded: first)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
