import COpenSSL

extension TLSEngine {
    /// Plaintext of one record at most (RFC 8446, section 5.1).
    private static let recordBytesMax = 16 << 10
    /// Records without content that one read may bring, and several reads in a row. Each new key costs as much as thirty
    /// small records and OpenSSL has no bound: the 64 KiB of one read could cost 30 ms. OpenSSL bounds empty records
    /// itself, by the same number.
    static let recordsWithoutContentMax: Int32 = 32

    /// Takes what arrived and appends the plaintext in it.
    /// - Parameter plaintext: grows by less than the ciphertext's size, plus the bytes that were held of a record.
    /// - Returns: how far the connection is now.
    @discardableResult
    package func receive(_ ciphertext: RawSpan, into plaintext: inout [UInt8]) -> State {
        guard isReceiving, let port else { return state }
        if state == .handshaking, context.role == .server, !hello.admits(ciphertext) {
            state = .failed(.helloTooLong)
            return state
        }
        let before = plaintext.count
        port.lend(ciphertext) {
            if state == .handshaking {
                handshakeReceived += Int32(clamping: ciphertext.byteCount)
                handshake()
            }
            if state == .open { read(from: port, into: &plaintext) }
        }
        if plaintext.count > before { recordsWithoutContent = 0 }
        return state
    }

    private var isReceiving: Bool {
        switch state {
        case .handshaking, .open: true
        case .ended, .failed: false
        }
    }

    /// Goes on with the handshake as far as the input allows.
    func handshake() {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            state = .open
        } else {
            note(result)
        }
    }

    /// Reads records until the input is used up.
    private func read(from port: CiphertextPort, into plaintext: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.recordBytesMax, alignment: 16) { record in
            while state == .open {
                let (unread, hadStart) = (port.incomingBytes, hasStartOfRecord)
                ERR_clear_error()
                let count = unsafe SSL_read(ssl, record.baseAddress, Int32(record.count))
                if count > 0 {
                    unsafe plaintext.append(contentsOf: UnsafeRawBufferPointer(rebasing: record[..<Int(count)]))
                    // There was room for the whole content of the record.
                    if port.incomingBytes == 0 { return }
                    continue
                }
                note(count)
                // A server's `SSL_read` returns after each record without content (`SSL_MODE_AUTO_RETRY` is off), and
                // also where it has read a record and sends the answer to the one before it first.
                guard state == .open, port.incomingBytes < unread || hasStartOfRecord != hadStart else { return }
                if !hasStartOfRecord { countRecordWithoutContent() }
            }
        }
    }

    private func countRecordWithoutContent() {
        recordsWithoutContent += 1
        if recordsWithoutContent > Self.recordsWithoutContentMax { state = .failed(.tooManyRecordsWithoutContent) }
    }

    /// Whether OpenSSL keeps bytes of a record that it has not handed out.
    private var hasStartOfRecord: Bool { unsafe SSL_has_pending(ssl) != 0 }

    /// Draws the consequence of a call that did not succeed.
    private func note(_ result: Int32) {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: state = .ended
        default: state = .failed(takeFailure())
        }
    }

    /// The transport ended: without a farewell before it, the connection has failed.
    package func transportEnded() {
        if isReceiving { state = .failed(.truncated) }
    }

    // MARK: What is held

    /// OpenSSL's memory for a handshake under way beside the bytes that arrived: its structures, keys, and buffers for
    /// records and messages.
    private static let handshakeBytes = 40 << 10
    /// OpenSSL's buffer for a record of which only the start has arrived.
    private static let openRecordBytes = 17 << 10

    /// Bytes kept of an incomplete record or handshake. Nothing between two records.
    package var heldBytes: Int {
        guard unsafe ssl != nil else { return 0 }
        switch state {
        case .handshaking: return handshakeReceived == 0 ? 0 : Self.handshakeBytes + Int(handshakeReceived)
        case .open: return hasStartOfRecord ? Self.openRecordBytes : 0
        case .ended, .failed: return 0
        }
    }

    /// Whether the start of a record or handshake has arrived, and not its end.
    package var isUnfinished: Bool { heldBytes > 0 }
}
