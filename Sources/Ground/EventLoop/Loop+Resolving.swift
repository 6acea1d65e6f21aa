import CUV
import Glibc

extension Loop {
    /// Looks up a host name, for programs that connect. It blocks the loop on the network: not for a server's loop.
    /// - Parameter host: a name, or a numeric address without brackets.
    /// - Returns: at least one address, in the order of the system's preference (RFC 6724).
    /// - Throws: `EAI_NONAME`, `EAI_AGAIN` and the like.
    package func resolve(host: String, port: UInt16) throws(UVError) -> [SocketAddress] {
        preconditionOnLoop()
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var request = unsafe uv_getaddrinfo_t()
        // Without a callback it answers before it returns.
        try UVError.check(unsafe uv_getaddrinfo(handle, &request, nil, host, nil, &hints))
        defer { unsafe uv_freeaddrinfo(request.addrinfo) }
        var addresses: [SocketAddress] = []
        var entry = unsafe request.addrinfo
        while let found = unsafe entry {
            var storage = sockaddr_storage()
            if let source = unsafe UnsafeRawPointer(found.pointee.ai_addr) {
                unsafe withUnsafeMutableBytes(of: &storage) { target in
                    let size = unsafe min(Int(found.pointee.ai_addrlen), target.count)
                    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: source, count: size))
                }
            }
            if var address = SocketAddress(storage) {
                address.port = port
                addresses.append(address)
            }
            unsafe entry = found.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw UVError(code: UV_EAI_NONAME.rawValue) }
        return addresses
    }
}
