import CNATS
import EventLoop

/// One connection of libnats to one server, from its opening to its end.
///
/// It never connects again by itself: libnats would then send everything that was published meanwhile, at a time when
/// nobody expects it any more.
///
/// - Confinement: any; libnats locks its own state. The loop of the owner reads and writes
@safe
final class NATSConnection: Sendable {
    /// Why libnats did not do something, with its own name for the reason.
    struct Problem: Error {
        let status: natsStatus
        let reason: String

        /// The reason of the last failure on this thread.
        init(_ status: natsStatus) {
            self.status = status
            let text = unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "\(status.rawValue)"
            var last = NATS_OK
            let words = unsafe nats_GetLastError(&last).map { unsafe String(cString: $0) } ?? ""
            // The words may be those of an earlier failure: not every failure has words.
            let detail = last == status ? words : ""
            // libnats begins with the place in its code: `(conn.c:3041): Connection Closed`.
            let place = detail.hasPrefix("(") ? detail.firstRange(of: "): ") : nil
            reason = detail.isEmpty ? text : String(detail[(place?.upperBound ?? detail.startIndex)...])
        }

        /// Whether the message is larger than the server takes; it was not sent.
        var isTooLarge: Bool { status == NATS_MAX_PAYLOAD }
    }

    /// Counts the connections of a client.
    let number: Int
    /// The subject below which answers come; no other connection uses it.
    let inbox: String
    /// The largest message that the server takes, in bytes.
    let payloadBytesMax: Int
    let door: ConnectionDoor
    /// `natsConnection`.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Connects, which blocks the thread for at most `milliseconds`.
    /// - Parameter inputs: Gets `closed` once when the connection is over, after `opened` or before.
    init(
        to address: JournalAddress, _ options: JournalOptions, server: JournalServer, number: Int,
        into inputs: Mailbox<LinkInput>
    ) throws(Problem) {
        self.number = number
        payloadBytesMax = server.payloadBytesMax
        door = ConnectionDoor(number: number, into: inputs)
        let held = unsafe Unmanaged.passRetained(door)
        do throws(Problem) {
            let data = unsafe held.toOpaque()
            let prepared = try unsafe NATSOptions(address, options, usesTLS: server.requiresTLS, data: data)
            var opened: OpaquePointer?
            try Self.check(unsafe natsConnection_Connect(&opened, prepared.handle))
            guard let opened = unsafe opened else { throw Problem(NATS_ERR) }
            unsafe handle = opened
        } catch {
            unsafe held.release()
            throw error
        }
        var text: UnsafeMutablePointer<CChar>?
        unsafe natsInbox_Create(&text)
        inbox = unsafe text.map { unsafe String(cString: $0) } ?? "_INBOX.\(number)"
        unsafe natsInbox_Destroy(text)
    }

    deinit { unsafe natsConnection_Destroy(handle) }

    /// Ends the connection; blocks until libnats' threads have let go of it, some milliseconds.
    func close() { unsafe natsConnection_Close(handle) }

    /// Calls a function of libnats that may send something.
    @unsafe
    func perform(_ body: (OpaquePointer) -> natsStatus) -> natsStatus {
        let status = door.publishing { unsafe body(handle) }
        write()
        // The loop waits for the kernel to take the rest.
        if bufferedBytes > 0 { door.wantsWriting() }
        return status
    }

    // MARK: On the loop

    /// The socket for the loop to watch.
    var descriptor: Int32 { door.descriptor }

    /// Reads once what has come, into the subscriptions.
    func read() { unsafe natsConnection_ProcessReadEvent(handle) }

    /// Writes as much of the waiting bytes as the kernel takes.
    func write() {
        // libnats takes a write of nothing for the end of the connection.
        if bufferedBytes > 0 { unsafe natsConnection_ProcessWriteEvent(handle) }
    }

    /// Bytes that libnats has not given to the kernel yet.
    var bufferedBytes: Int { unsafe Int(natsConnection_Buffered(handle)) }

    /// Sends a message at once, as far as the kernel takes it.
    /// - Parameter last: the value of `Nats-Expected-Last-Sequence`, if any.
    func publish(_ bytes: [UInt8], to subject: String, reply: String?, after last: UInt64? = nil) throws(Problem) {
        try unsafe withMessage(bytes, subject, reply, after: last) { message in
            unsafe perform { connection in unsafe natsConnection_PublishMsg(connection, message) }
        }
    }

    @unsafe
    private func withMessage(
        _ bytes: [UInt8], _ subject: String, _ reply: String?, after last: UInt64?,
        _ send: (OpaquePointer) -> natsStatus
    ) throws(Problem) {
        var made: OpaquePointer?
        let status = unsafe bytes.withUnsafeBytes { buffer in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe natsMsg_Create(&made, subject, reply, start, Int32(buffer.count))
        }
        try Self.check(status)
        guard let message = unsafe made else { throw Problem(NATS_ERR) }
        defer { unsafe natsMsg_Destroy(message) }
        if let last {
            try Self.check(unsafe natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", String(last)))
        }
        try Self.check(unsafe send(message))
    }

    static func check(_ status: natsStatus) throws(Problem) {
        if status != NATS_OK { throw Problem(status) }
    }
}
