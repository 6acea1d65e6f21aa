import COpenSSL

/// Where an `SSL` reads its ciphertext and writes it: a BIO of our own over two Swift values.
///
/// OpenSSL's memory BIOs would copy all that arrives, and each would keep its largest size on an idle connection.
/// - Confinement: loop
@safe
final class CiphertextPort {
    /// Bytes that have arrived and are not read yet; lent for the time of one call.
    private var incoming = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Bytes to be sent.
    private var outgoing: [UInt8] = []

    /// Lends arrived bytes to OpenSSL for the time of `body`.
    func lend<Result>(_ bytes: RawSpan, _ body: () -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe incoming = bytes
            defer { unsafe incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
            return body()
        }
    }

    /// Bytes that are lent and not read yet.
    var incomingBytes: Int { unsafe incoming.count }

    /// Bytes to be sent.
    var outgoingBytes: Int { outgoing.count }

    /// Moves out the bytes to be sent.
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
        // A flush succeeds: there is nothing to flush. All other requests of OpenSSL have no answer.
        unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return unsafe method
    }()

    @unsafe
    private static func of(_ bio: OpaquePointer?) -> CiphertextPort? {
        unsafe BIO_get_data(bio).map { unsafe Unmanaged<CiphertextPort>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Gives OpenSSL as many bytes as there are; none means "not yet".
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

    /// Takes all: the connection bounds what may wait.
    @unsafe
    private func write(_ bytes: UnsafePointer<CChar>?, _ size: Int32) -> Int32 {
        unsafe outgoing.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(max(size, 0))))
        return size
    }
}

@available(*, unavailable)
extension CiphertextPort: Sendable {}
