import CNATS

/// A message of libnats as a value.
/// - Confinement: any
struct NATSMessage: Sendable {
    let subject: String
    let reply: String?
    /// The status of a message from the server itself: 100, 404, 408, 409, 503; nil for all others.
    let status: Int?
    /// The words after the status.
    let statusText: String
    let bytes: [UInt8]

    /// Copies a message; libnats keeps the original.
    init(_ message: OpaquePointer) {
        subject = unsafe String(cString: natsMsg_GetSubject(message))
        reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
        let count = unsafe Int(natsMsg_GetDataLength(message))
        if count > 0, let start = unsafe natsMsg_GetData(message) {
            bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        } else {
            bytes = []
        }
        // Only messages without bytes have a status: this saves two searches for each entry.
        status = bytes.isEmpty ? unsafe Self.header("Status", of: message).flatMap { Int($0.prefix(3)) } : nil
        statusText = status == nil ? "" : unsafe Self.header("Description", of: message) ?? ""
    }

    @unsafe
    private static func header(_ name: String, of message: OpaquePointer) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK, let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }

    /// The last part of the subject, which numbers what was asked.
    var subjectNumber: Int? { subject.split(separator: ".").last.flatMap { Int($0) } }

    /// The place of an entry in its stream, which JetStream writes into the subject for replies:
    /// `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.…`, or with a domain and an account before the stream.
    var streamSequence: UInt64? {
        guard let tokens = reply?.split(separator: "."), tokens.count >= 9, tokens[0] == "$JS", tokens[1] == "ACK"
        else {
            return nil
        }
        return UInt64(tokens[tokens.count == 9 ? 5 : 7])
    }
}
