import COpenSSL

extension TLSEngine {
    /// Plaintext of one record that we send, at most.
    private static let recordBytesMax = 16 << 10
    /// Records that TLS 1.3 encrypts with one key before it takes the next: AES-GCM is safe for 2^24.5 of full size
    /// (RFC 8446, section 5.5). OpenSSL 3.0 leaves that to its caller.
    private static let recordsPerKeyMax: Int32 = 1 << 24

    /// Encrypts plaintext; `takeCiphertext` has it at once.
    ///
    /// One call makes records of 16 KiB and a rest: write in one call what belongs together.
    /// - Returns: false when it was not taken: the handshake is not complete, or this end is over.
    @discardableResult
    package func write(_ plaintext: RawSpan) -> Bool {
        write(plaintext, recordsPerKey: Self.recordsPerKeyMax)
    }

    func write(_ plaintext: RawSpan, recordsPerKey: Int32) -> Bool {
        guard canWrite else { return false }
        var rest = plaintext
        while !rest.isEmpty {
            // `SSL_write` counts in `Int32`.
            let piece = rest.extracting(first: 1 << 24)
            rest = rest.extracting(droppingFirst: piece.byteCount)
            if recordsUnderKey >= recordsPerKey { renewKey() }
            recordsUnderKey += Int32((piece.byteCount - 1) / Self.recordBytesMax + 1)
            ERR_clear_error()
            let result = unsafe piece.withUnsafeBytes { unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
            guard result == piece.byteCount else {
                state = .failed(takeFailure())
                return false
            }
        }
        return true
    }

    /// Makes a new key for the next record; without effect in TLS 1.2, which cannot do that.
    private func renewKey() {
        recordsUnderKey = 0
        unsafe _ = SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
    }

    /// Whether `write` takes anything.
    package var canWrite: Bool {
        switch state {
        case .open, .ended: !hasEnded
        case .handshaking, .failed: false
        }
    }

    /// Says farewell (`close_notify`), once; we may still receive what the peer sends.
    package func shutdown() {
        guard canWrite else { return }
        hasEnded = true
        ERR_clear_error()
        unsafe _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Bytes that `takeCiphertext` would give.
    package var ciphertextBytes: Int { port?.outgoingBytes ?? 0 }

    /// Moves out the bytes to send, in order; empty when there are none.
    package func takeCiphertext() -> [UInt8] { port?.take() ?? [] }
}
