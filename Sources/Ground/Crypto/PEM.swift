import COpenSSL

/// Reads OpenSSL objects from text in PEM form (RFC 7468).
/// - Confinement: any
enum PEM {
    /// A chain of the usual length has under 10 KB.
    static let bytesMax = 1 << 20
    /// A longer file is not a chain.
    static let certificatesMax = 16

    /// Why something could not be read.
    enum Problem: Error {
        case certificate(number: Int, TLSError)
        case key(TLSError)
        case keyEncrypted
    }

    /// Reads all certificates of a text.
    /// - Returns: one at least, the server's own first; the caller frees them.
    @unsafe
    static func certificates(_ text: [UInt8]) throws(Problem) -> [OpaquePointer] {
        var found: [OpaquePointer] = unsafe []
        let problem: Problem? = unsafe withSource(text) { source in
            while unsafe found.count < certificatesMax {
                ERR_clear_error()
                if let certificate = unsafe PEM_read_bio_X509(source, nil, passPhrase, nil) {
                    unsafe found.append(certificate)
                    continue
                }
                let code = ERR_peek_last_error()
                let isEnd = unsafe !found.isEmpty && reason(of: code) == PEM_R_NO_START_LINE
                let error = TLSError.take()
                return unsafe isEnd ? nil : .certificate(number: found.count + 1, error)
            }
            return nil
        }
        guard let problem else { return unsafe found }
        unsafe found.forEach { unsafe X509_free($0) }
        throw problem
    }

    /// Reads the first private key of a text.
    /// - Returns: never nil; the caller frees it.
    @unsafe
    static func privateKey(_ text: [UInt8]) throws(Problem) -> OpaquePointer {
        var problem = Problem.key(TLSError(code: 0))
        let key = unsafe withSource(text) { source -> OpaquePointer? in
            ERR_clear_error()
            var wasAsked = false
            let key = unsafe PEM_read_bio_PrivateKey(source, nil, passPhrase, &wasAsked)
            let error = TLSError.take()
            problem = wasAsked ? .keyEncrypted : .key(error)
            return unsafe key
        }
        guard let key = unsafe key else { throw problem }
        return unsafe key
    }

    /// OpenSSL's reason code inside a packed code; the function for it is inline, with a macro inside.
    static func reason(of code: UInt) -> Int32 {
        Int32(truncatingIfNeeded: code & 0x7f_ffff)
    }

    /// Lends a text to OpenSSL's readers.
    @unsafe
    private static func withSource<Result>(_ text: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
        unsafe text.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(min(bytes.count, bytesMax)))
            defer { unsafe _ = BIO_free(source) }
            return unsafe body(source)
        }
    }
}

/// Answers OpenSSL's question for a pass phrase: there is none, and nobody sits at the terminal.
@unsafe
private func passPhrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int32,
    _ isWriting: Int32,
    _ wasAsked: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe wasAsked?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}
