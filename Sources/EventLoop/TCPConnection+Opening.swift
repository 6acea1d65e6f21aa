import CUV
import Glibc

extension TCPConnection {
    /// Takes an accepted socket, which is already non-blocking.
    /// - Returns: nil when libuv refuses it; then the descriptor is closed.
    static func adopt(_ descriptor: Int32, peer: SocketAddress, on loop: Loop) -> TCPConnection? {
        let connection = TCPConnection(on: loop, peer: peer, state: .open)
        Descriptor.setNoDelay(on: descriptor)
        let result = unsafe uv_tcp_open(connection.handle, descriptor)
        guard result == 0 else {
            Glibc.close(descriptor)
            connection.close()
            return nil
        }
        return connection
    }

    /// Connects to a server. Writes before `connected` wait for it.
    ///
    /// - Parameters:
    ///   - address: The server's address.
    ///   - localAddress: The address to connect from; port 0 lets the kernel choose. One source address has about
    ///     28,000 ports.
    ///   - delegate: Gets `connected(on:)`, or `closed(on:error:)` with the reason.
    /// - Returns: at once; the delegate is not called before it returns.
    /// - Throws: when there is no file descriptor left, or the local address cannot be used.
    package static func connect(
        on loop: Loop,
        to address: SocketAddress,
        from localAddress: SocketAddress? = nil,
        delegate: any TCPConnectionDelegate
    ) throws(UVError) -> TCPConnection {
        loop.preconditionOnLoop()
        let descriptor = try Descriptor.openSocket(family: address.family)
        do throws(UVError) {
            Descriptor.setNoDelay(on: descriptor)
            if let localAddress {
                // Both ends choose the port at connect: with a bind alone the port would be taken for connections to
                // all servers.
                try? Descriptor.set(IP_BIND_ADDRESS_NO_PORT, at: Int32(IPPROTO_IP), to: 1, on: descriptor)
                try Descriptor.bind(descriptor, to: localAddress)
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        let connection = TCPConnection(on: loop, peer: address, state: .connecting)
        connection.delegate = delegate
        connection.startConnecting(descriptor)
        return connection
    }

    private func startConnecting(_ descriptor: Int32) {
        var result = unsafe uv_tcp_open(handle, descriptor)
        if result < 0 {
            Glibc.close(descriptor)
            return close(UVError(code: result))
        }
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        result = unsafe peerAddress.withSockaddr { address, _ in
            unsafe uv_tcp_connect(request, handle, address) { request, status in
                guard let request = unsafe request else { return }
                let connection = unsafe owner(of: request.pointee.handle.pointee.data, as: TCPConnection.self)
                unsafe request.deallocate()
                connection?.connectEnded(status)
            }
        }
        if result < 0 {
            unsafe request.deallocate()
            close(UVError(code: result))
        }
    }

    private func connectEnded(_ status: Int32) {
        loop.preconditionOnLoop()
        if status < 0 { return close(UVError(code: status)) }
        guard state == .connecting else { return }
        state = .open
        if wantsReading { startReading() }
        delegate?.connected(on: self)
    }
}
