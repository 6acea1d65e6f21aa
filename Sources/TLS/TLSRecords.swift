import COpenSSL

/// The records of a TLS 1.3 connection behind its handshake, from the server's end (RFC 8446, sections 5 and 6).
///
/// OpenSSL agrees on the keys and encrypts; what is kept of a connection between two records is two keys and nothing
/// else, where OpenSSL keeps 14 KB. A client may update its keys; nothing else of the handshake is taken any more.
/// Bounded like ``TLSEngine``: nothing is kept but the start of one record.
/// - Confinement: loop
final class TLSRecords {
    /// Plaintext of one record at most (section 5.1).
    private static let contentBytesMax = 16 << 10
    /// What encryption adds at most (section 5.2).
    private static let addedBytesMax = 256
    private static let headerBytes = 5
    /// Records in a row without content for who reads, empty ones or new keys; as many as OpenSSL takes.
    private static let emptyRecordsMax = 32

    private enum ContentType {
        static let alert: UInt8 = 21
        static let handshake: UInt8 = 22
        static let applicationData: UInt8 = 23
    }

    /// What is wrong: the alert that says so, and OpenSSL's reason for it.
    private struct Violation: Error {
        let alert: Int32
        let reason: Int32

        static let changed = Violation(
            alert: SSL_AD_BAD_RECORD_MAC, reason: SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC)
        static let unexpected = Violation(alert: SSL_AD_UNEXPECTED_MESSAGE, reason: SSL_R_UNEXPECTED_MESSAGE)
        static let tooLong = Violation(alert: SSL_AD_RECORD_OVERFLOW, reason: SSL_R_ENCRYPTED_LENGTH_TOO_LONG)
        static let badUpdate = Violation(alert: SSL_AD_ILLEGAL_PARAMETER, reason: SSL_R_BAD_KEY_UPDATE)
        static let tooManyUpdates = Violation(alert: SSL_AD_UNEXPECTED_MESSAGE, reason: SSL_R_TOO_MANY_KEY_UPDATES)
        static let badAlert = Violation(alert: SSL_AD_DECODE_ERROR, reason: SSL_R_INVALID_ALERT)
    }

    private let ciphers: TLSRecordCiphers
    private var reading: TrafficKey
    private var writing: TrafficKey
    /// The start of a record that is not whole.
    private var partial: [UInt8] = []
    private var outgoing: [UInt8]
    private var emptyRecords: UInt8 = 0
    /// Whether the client wants a new key of ours: it gets one before the next content, however often it has asked.
    private var owesUpdate = false

    /// - Parameters:
    ///   - reading: the client's key.
    ///   - writing: the server's.
    ///   - outgoing: what is to be sent before anything else.
    init(reading: TrafficKey, writing: TrafficKey, outgoing: [UInt8], ciphers: TLSRecordCiphers) {
        self.reading = reading
        self.writing = writing
        self.outgoing = outgoing
        self.ciphers = ciphers
    }

    deinit {
        reading.forget()
        writing.forget()
    }

    /// The suite that was agreed on.
    var suite: TrafficSuite { writing.suite }

    /// Bytes kept of a record that is not whole.
    var heldBytes: Int { partial.isEmpty ? 0 : partial.capacity }

    /// Bytes to be sent.
    var outgoingBytes: Int { outgoing.count }

    /// Moves out what is to be sent.
    func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &outgoing)
        return taken
    }

    // MARK: Receiving

    /// Takes what arrived and appends the plaintext in it.
    /// - Returns: `open`, or how it ended; an alert may wait in ``take()``.
    func receive(_ bytes: UnsafeRawBufferPointer, into plaintext: inout [UInt8]) -> TLSEngine.State {
        do throws(Violation) {
            guard !partial.isEmpty else { return unsafe try receive(records: bytes, into: &plaintext) }
            // One whole record is joined; what is behind it is read where it lies.
            var held: [UInt8] = []
            swap(&held, &partial)
            let missing = unsafe try missingBytes(of: held, with: bytes)
            let joined = min(missing, bytes.count)
            unsafe held.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<joined]))
            guard joined == missing else {
                partial = held
                return .open
            }
            let result: Result<TLSEngine.State, Violation> = unsafe held.withUnsafeBytes { record in
                Result { () throws(Violation) in unsafe try receive(records: record, into: &plaintext) }
            }
            let state = try result.get()
            guard state == .open else { return state }
            return unsafe try receive(records: UnsafeRawBufferPointer(rebasing: bytes[joined...]), into: &plaintext)
        } catch {
            send([2, UInt8(error.alert)], type: ContentType.alert)
            return .failed(.protocol(Self.error(error.reason)))
        }
    }

    /// How many bytes the record lacks whose start is held; as many as there are, if its header is not whole even then.
    private func missingBytes(of held: [UInt8], with bytes: UnsafeRawBufferPointer) throws(Violation) -> Int {
        var header = Array(held.prefix(Self.headerBytes))
        unsafe header.append(contentsOf: bytes.prefix(Self.headerBytes - header.count))
        guard header.count == Self.headerBytes else { return bytes.count + 1 }
        return Self.headerBytes + (try Self.contentBytes(header[0], header[1], header[3], header[4])) - held.count
    }

    /// Judges a record's header.
    /// - Returns: the bytes behind it.
    private static func contentBytes(
        _ type: UInt8, _ version: UInt8, _ high: UInt8, _ low: UInt8
    ) throws(Violation) -> Int {
        // Everything is encrypted from here on, so that it looks like data from outside.
        guard type == ContentType.applicationData, version == 3 else { throw .unexpected }
        let count = Int(high) << 8 | Int(low)
        guard count <= contentBytesMax + addedBytesMax else { throw .tooLong }
        guard count > TLSRecordCiphers.tagBytes else { throw .changed }
        return count
    }

    private func receive(
        records bytes: UnsafeRawBufferPointer, into plaintext: inout [UInt8]
    ) throws(Violation) -> TLSEngine.State {
        var rest = unsafe bytes
        while rest.count >= Self.headerBytes {
            let count = unsafe try Self.contentBytes(rest[0], rest[1], rest[3], rest[4])
            let end = Self.headerBytes + count
            guard rest.count >= end else { break }
            let record = unsafe UnsafeRawBufferPointer(rebasing: rest[..<end])
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            let state = unsafe try receive(record: record, into: &plaintext)
            guard state == .open else { return state }
        }
        unsafe partial.append(contentsOf: rest)
        return .open
    }

    private func receive(
        record: UnsafeRawBufferPointer, into plaintext: inout [UInt8]
    ) throws(Violation) -> TLSEngine.State {
        let header = unsafe UnsafeRawBufferPointer(rebasing: record[..<Self.headerBytes])
        let content = unsafe UnsafeRawBufferPointer(rebasing: record[Self.headerBytes...])
        return try unsafe withUnsafeTemporaryAllocation(byteCount: content.count, alignment: 16) {
            opened throws(Violation) in
            guard unsafe ciphers.open(content, header: header, with: &reading, into: opened) else { throw .changed }
            // The type stands behind the content, zeros may stand behind the type.
            var end = content.count - TLSRecordCiphers.tagBytes
            while end > 0, unsafe opened[end - 1] == 0 { end -= 1 }
            guard end > 0 else { throw .unexpected }
            guard end - 1 <= Self.contentBytesMax else { throw .tooLong }
            let inner = unsafe UnsafeRawBufferPointer(rebasing: opened[..<(end - 1)])
            switch unsafe opened[end - 1] {
            case ContentType.applicationData:
                if unsafe inner.isEmpty { try countEmptyRecord(.unexpected) } else { emptyRecords = 0 }
                unsafe plaintext.append(contentsOf: inner)
                return .open
            case ContentType.alert: return unsafe try receive(alert: inner)
            case ContentType.handshake:
                unsafe try updateKeys(inner)
                return .open
            default: throw .unexpected
            }
        }
    }

    /// Of the alerts one is a farewell and one says nothing (section 6.1); all others are the end (6.2).
    private func receive(alert: UnsafeRawBufferPointer) throws(Violation) -> TLSEngine.State {
        guard unsafe !alert.isEmpty else { throw .unexpected }
        guard alert.count == 2 else { throw .badAlert }
        switch unsafe Int32(alert[1]) {
        case SSL_AD_CLOSE_NOTIFY: return .ended
        case SSL_AD_USER_CANCELLED:
            try countEmptyRecord(.unexpected)
            return .open
        case let description: return .failed(.protocol(Self.error(SSL_AD_REASON_OFFSET + description)))
        }
    }

    /// The client has new keys, and perhaps asks us to take new ones too (section 4.6.3). The message ends its record.
    private func updateKeys(_ message: UnsafeRawBufferPointer) throws(Violation) {
        let update: [UInt8] = [UInt8(SSL3_MT_KEY_UPDATE), 0, 0, 1]
        guard message.count == 5, unsafe message.prefix(4).elementsEqual(update) else { throw .unexpected }
        let request = unsafe message[4]
        guard request <= 1 else { throw .badUpdate }
        try countEmptyRecord(.tooManyUpdates)
        reading.advance()
        if request == 1 { owesUpdate = true }
    }

    /// Work without end for nothing is not done for anybody.
    private func countEmptyRecord(_ violation: Violation) throws(Violation) {
        guard emptyRecords < Self.emptyRecordsMax else { throw violation }
        emptyRecords += 1
    }

    // MARK: Sending

    /// Encrypts plaintext in records of 16 KiB and a rest.
    /// - Returns: false when OpenSSL cannot.
    func write(_ plaintext: UnsafeRawBufferPointer) -> Bool {
        var rest = unsafe plaintext
        while unsafe !rest.isEmpty {
            let count = min(rest.count, Self.contentBytesMax)
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest[..<count])
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            guard unsafe send(piece, type: ContentType.applicationData) else { return false }
        }
        return true
    }

    /// Says farewell.
    func shutdown() { send([1, UInt8(SSL_AD_CLOSE_NOTIFY)], type: ContentType.alert) }

    /// Tells the client that what comes behind this is under the next key.
    private func renewKey() {
        owesUpdate = false
        send([UInt8(SSL3_MT_KEY_UPDATE), 0, 0, 1, 0], type: ContentType.handshake)
        writing.advance()
    }

    private func send(_ content: [UInt8], type: UInt8) {
        _ = unsafe content.withUnsafeBytes { unsafe send($0, type: type) }
    }

    private func send(_ content: UnsafeRawBufferPointer, type: UInt8) -> Bool {
        // The update itself is the last record under the old key.
        if type == ContentType.applicationData, owesUpdate || writing.sequence >= ciphers.recordsPerKey - 1 {
            renewKey()
        }
        let count = content.count + 1 + TLSRecordCiphers.tagBytes
        let header = [ContentType.applicationData, 3, 3, UInt8(count >> 8), UInt8(count & 0xff)]
        let start = outgoing.count + header.count
        outgoing += header
        outgoing += repeatElement(0, count: count)
        let isSealed = unsafe outgoing.withUnsafeMutableBytes { bytes in
            let output = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return unsafe ciphers.seal(content, type: type, header: header, with: &writing, into: output)
        }
        // What is not encrypted does not go out.
        if !isSealed { outgoing.removeLast(header.count + count) }
        return isSealed
    }

    private static func error(_ reason: Int32) -> TLSError {
        TLSError(code: UInt(ERR_LIB_SSL) << 23 | UInt(reason))
    }
}

@available(*, unavailable)
extension TLSRecords: Sendable {}
