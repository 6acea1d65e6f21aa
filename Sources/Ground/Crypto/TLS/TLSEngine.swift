import COpenSSL

/// One end of a TLS connection, without I/O: ciphertext in and plaintext out, or plaintext in and ciphertext out.
///
/// `receive` takes the bytes that arrived and hands out their plaintext. After every call `takeCiphertext` has the bytes
/// to send: messages of the handshake, the records of `write`, alerts. "Not yet" is no error: a call that needs more
/// bytes of the peer leaves the state as it is.
///
/// Bounded: no call does more than its input asks for. Between two calls the engine keeps the start of one record
/// (16 KiB) or of one handshake message (16 KiB from a client, 100 KiB of certificates from a server) at most:
/// ``heldBytes``. An idle connection takes 14 KB, nearly all of them OpenSSL's own structures (7.6 KB the `SSL` alone):
/// OpenSSL releases its buffers between records.
/// - Confinement: loop
@safe
package final class TLSEngine {
    /// How far a connection is.
    /// - Confinement: any
    package enum State: Sendable, Hashable {
        /// Not yet agreed.
        case handshaking
        /// Plaintext goes both ways.
        case open
        /// The peer has said farewell (`close_notify`): it sends nothing more; we may still write.
        case ended
        /// Over. An alert may wait in `takeCiphertext`.
        case failed(TLSFailure)
    }

    /// How far it is.
    package internal(set) var state = State.handshaking
    /// Whether we have said farewell: `write` takes nothing any more.
    package internal(set) var hasEnded = false
    /// Bytes that have arrived before the handshake was complete.
    package internal(set) var handshakeReceived: Int32 = 0
    /// Nil when the engine is closed.
    private(set) var ssl: OpaquePointer?
    /// Nil when the engine is closed.
    private(set) var port: CiphertextPort?
    let context: TLSContext
    var hello = HelloLength()
    /// Records in a row that brought no content: new keys, warnings.
    var recordsWithoutContent: Int32 = 0
    /// Records that were encrypted with the present key.
    var recordsUnderKey: Int32 = 0

    /// A server's end. The client speaks first.
    package convenience init(_ context: TLSContext) throws(TLSError) {
        precondition(context.role == .server, "a server's engine needs a server's context")
        try self.init(on: context)
        unsafe SSL_set_accept_state(ssl)
    }

    /// A client's end; `takeCiphertext` has the first message.
    /// - Parameters:
    ///   - host: the name or IP address of the server; its certificate must name it.
    ///   - session: of an earlier connection to the same server, to resume.
    package convenience init(
        _ context: TLSContext,
        host: String,
        resuming session: TLSSession? = nil
    ) throws(TLSError) {
        precondition(context.role == .client, "a client's engine needs a client's context")
        try self.init(on: context)
        unsafe SSL_set_connect_state(ssl)
        try setHost(host)
        if let session { unsafe _ = SSL_set_session(ssl, session.handle) }
        handshake()
    }

    private init(on context: TLSContext) throws(TLSError) {
        ERR_clear_error()
        let port = CiphertextPort()
        guard let ssl = unsafe SSL_new(context.handle) else { throw .take() }
        guard let bio = unsafe port.makeBIO() else {
            unsafe SSL_free(ssl)
            throw .take()
        }
        // For both directions; the SSL takes the one reference.
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe self.ssl = ssl
        self.port = port
        self.context = context
    }

    deinit { freeOpenSSL() }

    private func freeOpenSSL() {
        guard let ssl = unsafe ssl else { return }
        unsafe self.ssl = nil
        // OpenSSL forgets the session of a connection that ends without farewell. A phone in a tunnel ends so, too, and
        // may resume it.
        switch state {
        case .handshaking, .failed(.protocol), .failed(.certificateRefused), .failed(.helloTooLong),
            .failed(.tooManyRecordsWithoutContent):
            break
        case .open, .ended, .failed(.truncated): unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        unsafe SSL_free(ssl)
    }

    /// Gives back all memory; nothing is received or sent any more. Take the ciphertext before.
    package func close() {
        freeOpenSSL()
        port = nil
        hasEnded = true
        transportEnded()
    }

    /// The name for the certificate's check and, if it is not an address, for the server (SNI; RFC 6066, section 3).
    private func setHost(_ host: String) throws(TLSError) {
        ERR_clear_error()
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let parameters = unsafe SSL_get0_param(ssl)
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1 { return }
        ERR_clear_error()
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        var text = Array(name.utf8CString)
        let isSet =
            unsafe SSL_set1_host(ssl, name) == 1
            && SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &text) == 1
        if !isSet, context.checksPeer { throw .take() }
    }

    /// The reason of OpenSSL's last error.
    func takeFailure() -> TLSFailure {
        let error = TLSError.take()
        guard let ssl = unsafe ssl, context.checksPeer, PEM.reason(of: error.code) == SSL_R_CERTIFICATE_VERIFY_FAILED
        else {
            return .protocol(error)
        }
        return unsafe .certificateRefused(code: SSL_get_verify_result(ssl))
    }
}

@available(*, unavailable)
extension TLSEngine: Sendable {}
