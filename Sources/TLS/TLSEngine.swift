import COpenSSL

/// One end of a TLS connection, without I/O: ciphertext in, plaintext out, and the other way round.
///
/// What arrives goes to `receive`, which hands out the plaintext in it. After every call look at `takeCiphertext` for
/// what must be sent: the handshake's messages, what `write` encrypted, alerts. "Not yet" is no error: a call that
/// needs more of the peer leaves the state as it is.
///
/// Bounded: no call does more than its input asks for, and nothing is kept of it but the start of one record (16 KiB)
/// or of one handshake message (16 KiB from a client, 100 KiB of certificates from a server): ``heldBytes``. An idle
/// one takes 14.4 KB, of which 14.0 are OpenSSL's own structures (7.6 the `SSL` alone): the buffers are released
/// between records. A server that speaks TLS 1.3 lets go of them behind the handshake, see ``TLSRecords``.
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
        /// The peer has said farewell (`close_notify`): nothing more comes from it; we may still write.
        case ended
        /// Over. An alert may wait in `takeCiphertext`.
        case failed(TLSFailure)
    }

    /// Plaintext of one record at most (RFC 8446, section 5.1).
    private static let recordBytesMax = 16 << 10

    /// How far it is.
    package private(set) var state = State.handshaking
    /// Whether our farewell is on its way: nothing is written any more.
    package private(set) var hasEnded = false
    /// Whether an earlier session was resumed, where OpenSSL is not there any more to be asked.
    private(set) var wasResumed = false
    /// Nil when the records have taken over.
    private(set) var ssl: OpaquePointer?
    private var port: CiphertextPort?
    /// What goes on behind the handshake.
    private(set) var records: TLSRecords?
    /// Bytes that have arrived before the handshake was done.
    package private(set) var handshakeReceived: Int32 = 0
    private var hello = HelloLength()
    private let ciphers: TLSRecordCiphers?
    private let context: TLSContext

    /// A server's end. The first word is the client's.
    /// - Parameter ciphers: what the records of TLS 1.3 are encrypted with behind the handshake; OpenSSL keeps them,
    ///   with 14 KB for each connection, when it is nil.
    package convenience init(_ context: TLSContext, ciphers: TLSRecordCiphers? = nil) throws(TLSError) {
        precondition(context.role == .server, "a server's engine needs a server's context")
        try self.init(on: context, ciphers: ciphers)
        unsafe SSL_set_accept_state(ssl)
    }

    /// A client's end; `takeCiphertext` has the first message.
    /// - Parameters:
    ///   - host: the name or IP address asked for; the certificate must be made out to it.
    ///   - session: of an earlier connection to the same server, to resume.
    package convenience init(
        _ context: TLSContext,
        host: String,
        resuming session: TLSSession? = nil
    ) throws(TLSError) {
        precondition(context.role == .client, "a client's engine needs a client's context")
        try self.init(on: context, ciphers: nil)
        unsafe SSL_set_connect_state(ssl)
        try setHost(host)
        if let session { unsafe _ = SSL_set_session(ssl, session.handle) }
        handshake()
    }

    private init(on context: TLSContext, ciphers: TLSRecordCiphers?) throws(TLSError) {
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
        self.ciphers = ciphers
        self.context = context
    }

    deinit { freeOpenSSL() }

    private func freeOpenSSL() {
        guard let ssl = unsafe ssl else { return }
        unsafe self.ssl = nil
        // OpenSSL takes an end without farewell for a reason to forget the session; a phone in a tunnel is none.
        switch state {
        case .handshaking, .failed(.protocol), .failed(.certificateRefused), .failed(.helloTooLong): break
        case .open, .ended, .failed(.truncated): unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        unsafe SSL_free(ssl)
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

    // MARK: What is held

    /// What OpenSSL allocates for a handshake under way beside what has arrived: its structures, keys, and buffers for
    /// records and messages; and for the start of a record on a connection that it keeps.
    private static let handshakeBytes = 40 << 10
    private static let openRecordBytes = 17 << 10

    /// Bytes kept of what is not whole: the start of a record, or a handshake under way. Nothing between two records.
    package var heldBytes: Int {
        if let records { return records.heldBytes }
        guard unsafe ssl != nil else { return 0 }
        switch state {
        case .handshaking: return handshakeReceived == 0 ? 0 : TLSEngine.handshakeBytes + Int(handshakeReceived)
        case .open: return unsafe SSL_has_pending(ssl) != 0 ? TLSEngine.openRecordBytes : 0
        case .ended, .failed: return 0
        }
    }

    /// Whether something has begun to arrive that is not whole.
    package var isUnfinished: Bool { heldBytes > 0 }

    // MARK: Receiving

    /// Takes what arrived and appends the plaintext in it.
    /// - Parameter plaintext: grows by less than the ciphertext's size, plus what was held of a record.
    /// - Returns: how far the connection is now.
    @discardableResult
    package func receive(_ ciphertext: RawSpan, into plaintext: inout [UInt8]) -> State {
        guard isReceiving else { return state }
        if let records {
            state = unsafe ciphertext.withUnsafeBytes { unsafe records.receive($0, into: &plaintext) }
            return state
        }
        guard let port else { return state }
        if state == .handshaking, context.role == .server, !hello.admits(ciphertext) {
            state = .failed(.helloTooLong)
            return state
        }
        port.lend(ciphertext) {
            if state == .handshaking {
                handshakeReceived += Int32(clamping: ciphertext.byteCount)
                let sentBefore = port.outgoingBytes
                handshake()
                if state == .open, let records = makeRecords(port, sentBefore: sentBefore) {
                    state = unsafe records.receive(port.takeIncoming(), into: &plaintext)
                    wasResumed = isResumed
                    self.records = records
                    freeOpenSSL()
                    self.port = nil
                    return
                }
            }
            if state == .open { read(into: &plaintext) }
        }
        return state
    }

    /// What goes on in OpenSSL's place, where it is certain what stands where: the handshake's last step has sent
    /// encrypted records alone, the tickets, and nothing is left in it to be read or sent.
    private func makeRecords(_ port: CiphertextPort, sentBefore: Int) -> TLSRecords? {
        guard let ciphers, context.role == .server, version == .v13,
            let cipher = unsafe SSL_get_current_cipher(ssl),
            let suite = unsafe TrafficSuite(rawValue: SSL_CIPHER_get_protocol_id(cipher)),
            port.clientSecret.count == suite.digestBytes, port.serverSecret.count == suite.digestBytes,
            let sent = port.encryptedRecords(from: sentBefore),
            unsafe SSL_has_pending(ssl) == 0, unsafe SSL_want(ssl) == SSL_NOTHING,
            unsafe SSL_SESSION_get_max_fragment_length(SSL_get_session(ssl)) == 0
        else { return nil }
        return TLSRecords(
            reading: TrafficKey(suite, secret: port.clientSecret, sequence: 0),
            writing: TrafficKey(suite, secret: port.serverSecret, sequence: sent),
            outgoing: port.take(), ciphers: ciphers)
    }

    private var isReceiving: Bool {
        switch state {
        case .handshaking, .open: true
        case .ended, .failed: false
        }
    }

    /// Goes on with the handshake as far as the input allows.
    private func handshake() {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            state = .open
        } else {
            note(result)
        }
    }

    /// Reads records until the input is used up.
    private func read(into plaintext: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(byteCount: TLSEngine.recordBytesMax, alignment: 16) { record in
            while state == .open {
                ERR_clear_error()
                let count = unsafe SSL_read(ssl, record.baseAddress, Int32(record.count))
                guard count > 0 else { return note(count) }
                unsafe plaintext.append(contentsOf: UnsafeRawBufferPointer(rebasing: record[..<Int(count)]))
            }
        }
    }

    /// Draws the consequence of a call that did not succeed.
    private func note(_ result: Int32) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: ERR_clear_error()
        case SSL_ERROR_ZERO_RETURN: state = .ended
        default: state = .failed(takeFailure())
        }
    }

    private func takeFailure() -> TLSFailure {
        let error = TLSError.take()
        guard let ssl = unsafe ssl, context.checksPeer, PEM.reason(of: error.code) == SSL_R_CERTIFICATE_VERIFY_FAILED
        else {
            return .protocol(error)
        }
        return unsafe .certificateRefused(code: SSL_get_verify_result(ssl))
    }

    /// The transport ended: without a farewell before it, the connection has failed.
    package func transportEnded() {
        if isReceiving { state = .failed(.truncated) }
    }

    /// Gives back all memory; nothing is received or sent any more. What was to be sent is taken before.
    package func close() {
        freeOpenSSL()
        port = nil
        records = nil
        hasEnded = true
        transportEnded()
    }

    // MARK: Sending

    /// Encrypts plaintext; `takeCiphertext` has it at once.
    ///
    /// One call makes records of 16 KiB and a rest: write what belongs together together.
    /// - Returns: false when it was not taken: the handshake is not done, or this end is over.
    @discardableResult
    package func write(_ plaintext: RawSpan) -> Bool {
        guard canWrite else { return false }
        if let records {
            guard unsafe plaintext.withUnsafeBytes({ unsafe records.write($0) }) else {
                state = .failed(takeFailure())
                return false
            }
            return true
        }
        var rest = plaintext
        while !rest.isEmpty {
            // `SSL_write` counts in `Int32`.
            let piece = rest.extracting(first: 1 << 24)
            rest = rest.extracting(droppingFirst: piece.byteCount)
            ERR_clear_error()
            let result = unsafe piece.withUnsafeBytes { unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
            guard result == piece.byteCount else {
                state = .failed(takeFailure())
                return false
            }
        }
        return true
    }

    /// Whether `write` takes anything.
    package var canWrite: Bool {
        switch state {
        case .open, .ended: !hasEnded
        case .handshaking, .failed: false
        }
    }

    /// Says farewell (`close_notify`), once; what the peer still sends may be received.
    package func shutdown() {
        guard canWrite else { return }
        hasEnded = true
        if let records { return records.shutdown() }
        ERR_clear_error()
        unsafe _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Bytes that `takeCiphertext` would give.
    package var ciphertextBytes: Int { records?.outgoingBytes ?? port?.outgoingBytes ?? 0 }

    /// Moves out what must be sent, in order; empty when there is nothing.
    package func takeCiphertext() -> [UInt8] { records?.take() ?? port?.take() ?? [] }
}

@available(*, unavailable)
extension TLSEngine: Sendable {}
