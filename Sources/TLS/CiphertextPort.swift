import COpenSSL
import Glibc

/// The place where an `SSL` takes its ciphertext from and leaves it: a BIO of our own over two Swift values.
///
/// OpenSSL's memory BIOs would copy what arrives and keep their largest size for good, on every idle connection.
/// - Confinement: loop
@safe
final class CiphertextPort {
    /// What has arrived and is not read yet; lent for the time of one call.
    private var incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// What is to be sent.
    private var outgoing: [UInt8] = []

    /// Lends arrived bytes to OpenSSL for the time of `body`.
    func lend<Result>(_ bytes: RawSpan, _ body: () -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe incoming = bytes
            defer { unsafe incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
            return body()
        }
    }

    /// The traffic secrets of TLS 1.3, as OpenSSL has told them: the client's and the server's; empty until then.
    private(set) var clientSecret: [UInt8] = []
    private(set) var serverSecret: [UInt8] = []

    deinit {
        unsafe OPENSSL_cleanse(&clientSecret, clientSecret.count)
        unsafe OPENSSL_cleanse(&serverSecret, serverSecret.count)
    }

    /// Moves out what OpenSSL has not read of what is lent.
    @unsafe
    func takeIncoming() -> UnsafeRawBufferPointer {
        let taken = unsafe incoming
        unsafe incoming = UnsafeRawBufferPointer(start: nil, count: 0)
        return unsafe taken
    }

    /// The records among the bytes to be sent, from a place on; nil when one of them is not encrypted, or not whole.
    func encryptedRecords(from start: Int) -> UInt64? {
        var (offset, count) = (start, UInt64(0))
        while offset < outgoing.count {
            guard offset + 5 <= outgoing.count, outgoing[offset] == UInt8(SSL3_RT_APPLICATION_DATA) else { return nil }
            offset += 5 + Int(outgoing[offset + 3]) << 8 + Int(outgoing[offset + 4])
            count += 1
        }
        return offset == outgoing.count ? count : nil
    }

    /// Has the contexts' connections tell their ports the traffic secrets.
    @unsafe
    static func askForSecrets(of context: OpaquePointer) {
        unsafe SSL_CTX_set_keylog_callback(context) { ssl, line in
            guard let line = unsafe line, let port = unsafe CiphertextPort.of(SSL_get_rbio(ssl)) else { return }
            unsafe port.note(line)
        }
    }

    /// Takes a line of a key log: a label, the client's random number, the secret, the latter two in hexadecimal.
    @unsafe
    private func note(_ line: UnsafePointer<CChar>) {
        let bytes = unsafe UnsafeRawBufferPointer(start: line, count: strlen(line))
        if let secret = unsafe Self.secret(in: bytes, label: "CLIENT_TRAFFIC_SECRET_0 ") { clientSecret = secret }
        if let secret = unsafe Self.secret(in: bytes, label: "SERVER_TRAFFIC_SECRET_0 ") { serverSecret = secret }
    }

    @unsafe
    private static func secret(in line: UnsafeRawBufferPointer, label: StaticString) -> [UInt8]? {
        let start = label.utf8CodeUnitCount + 64 + 1
        guard line.count > start, unsafe line.starts(with: label.description.utf8) else { return nil }
        let digits = unsafe line[start...].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == line.count - start, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Bytes to be sent.
    var outgoingBytes: Int { outgoing.count }

    /// Moves out what is to be sent.
    func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &outgoing)
        return taken
    }

    /// Makes the BIO. It points to the port without holding it: the engine holds both.
    /// - Returns: nil when there is no memory.
    @unsafe
    func makeBIO() -> OpaquePointer? {
        guard let bio = unsafe BIO_new(CiphertextPort.method) else { return nil }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | Int32(BIO_TYPE_SOURCE_SINK)
        let method = unsafe BIO_meth_new(kind, "watchwise")
        unsafe BIO_meth_set_read(method) { unsafe CiphertextPort.of($0)?.read(into: $1, $2, $0) ?? -1 }
        unsafe BIO_meth_set_write(method) { unsafe CiphertextPort.of($0)?.write($1, $2) ?? -1 }
        // Flushing succeeds, for there is nothing to flush; of all else OpenSSL may ask there is nothing.
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    @unsafe
    private static func of(_ bio: OpaquePointer?) -> CiphertextPort? {
        unsafe BIO_get_data(bio).map { unsafe Unmanaged<CiphertextPort>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives OpenSSL as much as there is; none is "not yet".
    @unsafe
    private func read(into buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ bio: OpaquePointer?) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY)
        let count = unsafe min(incoming.count, Int(max(size, 0)))
        guard count > 0, let buffer = unsafe buffer else {
            unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
        unsafe incoming = UnsafeRawBufferPointer(rebasing: incoming[count...])
        return Int32(count)
    }

    /// Takes all: how much may wait is the business of who writes.
    @unsafe
    private func write(_ bytes: UnsafePointer<CChar>?, _ size: Int32) -> Int32 {
        unsafe outgoing.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(max(size, 0))))
        return size
    }
}

@available(*, unavailable)
extension CiphertextPort: Sendable {}
