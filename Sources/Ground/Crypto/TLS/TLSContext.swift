import COpenSSL
import Files

/// The common part of all TLS connections of a listener, or of a client: certificate, trust, policy.
///
/// A context never changes. A reload of the certificate makes a new context; engines keep theirs alive until they end.
/// OpenSSL counts the references atomically, so the loops share one.
/// - Confinement: any; making one blocks on the disk
@safe
package final class TLSContext: Sendable {
    /// OpenSSL's version, such as `3.0.17`.
    package static var libraryVersion: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

    /// Which servers a client trusts.
    /// - Confinement: any
    package enum Trust: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system
        /// The authorities in a PEM file.
        case authorities(path: String)
        /// Every server. For tests, and to look at a broken server: nothing is checked, not even the name.
        case anyone
    }

    /// Which end it is for.
    /// - Confinement: any
    package enum Role: Sendable, Hashable {
        case server, client
    }

    /// `SSL_CTX`; not written to after `init`.
    nonisolated(unsafe) let handle: OpaquePointer
    /// Which end it is for.
    package let role: Role
    /// Whether a client's engine checks the server's certificate.
    let checksPeer: Bool
    /// When a server's certificate ends, in seconds since 1970; nil for a client.
    package let certificateExpiresSeconds: Int64?
    /// Whether others than the owner and the group may read a server's key, which is worth a warning.
    package let isKeyOpenToOthers: Bool
    /// Held because OpenSSL points to it.
    private let ticketKeys: TLSTicketKeys?

    /// The context of a server.
    /// - Parameters:
    ///   - certificatePath: PEM, the server's certificate first, then the certificates between it and the root.
    ///   - keyPath: PEM, its private key, not encrypted.
    ///   - ticketKeys: give the same to the next context, and clients resume across a reload.
    package init(certificatePath: String, keyPath: String, ticketKeys: TLSTicketKeys) throws(TLSContextError) {
        let identity = try ServerIdentity(certificatePath: certificatePath, keyPath: keyPath)
        role = .server
        checksPeer = false
        self.ticketKeys = ticketKeys
        certificateExpiresSeconds = identity.expiresSeconds
        isKeyOpenToOthers = identity.isKeyOpenToOthers
        unsafe handle = try TLSContext.make(TLS_server_method())
        try identity.install(on: self)
        unsafe ticketKeys.serve(handle)
        // The tickets carry the state.
        unsafe _ = SSL_CTX_ctrl(handle, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // The engine counts records without content: `SSL_read` is to return after each of them.
        unsafe _ = SSL_CTX_ctrl(handle, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
        unsafe SSL_CTX_set_alpn_select_cb(handle, selectProtocol, nil)
    }

    /// The context of a client.
    /// - Parameter newest: TLS 1.2 to find out whether a server still speaks it.
    package init(trust: Trust, newest: TLSVersion = .v13) throws(TLSContextError) {
        role = .client
        checksPeer = trust != .anyone
        ticketKeys = nil
        certificateExpiresSeconds = nil
        isKeyOpenToOthers = false
        unsafe handle = try TLSContext.make(TLS_client_method())
        unsafe SSL_CTX_set_verify(handle, checksPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        unsafe _ = SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(newest.code), nil)
        let protocols = TLSPolicy.protocols
        unsafe SSL_CTX_set_alpn_protos(handle, protocols.utf8Start, UInt32(protocols.utf8CodeUnitCount))
        try load(trust)
    }

    deinit {
        unsafe SSL_CTX_free(handle)
    }

    private func load(_ trust: Trust) throws(TLSContextError) {
        ERR_clear_error()
        switch trust {
        case .anyone: break
        case .system:
            guard unsafe SSL_CTX_set_default_verify_paths(handle) == 1 else { throw .library(.take()) }
        case .authorities(let path):
            // Our own read gives the better sentence when the file is missing.
            do {
                _ = try ReadableFile(path: path).read(bytesMax: 16 << 20)
            } catch {
                throw .file(error)
            }
            guard unsafe SSL_CTX_load_verify_file(handle, path) == 1 else {
                throw .authoritiesInvalid(path: path, reason: TLSError.take().reason)
            }
        }
    }

    @unsafe
    private static func make(_ method: OpaquePointer?) throws(TLSContextError) -> OpaquePointer {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(method) else { throw .library(.take()) }
        do {
            try unsafe TLSPolicy.apply(to: context)
        } catch {
            unsafe SSL_CTX_free(context)
            throw .library(error)
        }
        return unsafe context
    }
}

/// Chooses `http/1.1` from a client's ALPN list and refuses a list without it (RFC 7301, section 3.2): nobody can lead the
/// client of another protocol here.
@unsafe
private func selectProtocol(
    _ ssl: OpaquePointer?,
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenSize: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredSize: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let ours = TLSPolicy.protocols
    var choice: UnsafeMutablePointer<UInt8>?
    let result = unsafe SSL_select_next_proto(
        &choice,
        chosenSize,
        ours.utf8Start,
        UInt32(ours.utf8CodeUnitCount),
        offered,
        offeredSize
    )
    guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    unsafe chosen?.pointee = UnsafePointer(choice)
    return SSL_TLSEXT_ERR_OK
}
