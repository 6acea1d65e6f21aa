import CNATS
import EventLoop

/// The options of one connection of libnats; they are copied when it is opened.
/// - Confinement: the thread that made it
@safe
final class NATSOptions {
    /// `natsOptions`.
    let handle: OpaquePointer

    /// - Parameter data: a retained ``ConnectionDoor``. The callback at the end of the connection releases it.
    @unsafe
    init(
        _ address: JournalAddress, _ options: JournalOptions, usesTLS: Bool, data: UnsafeMutableRawPointer
    ) throws(NATSConnection.Problem) {
        var made: OpaquePointer?
        try NATSConnection.check(unsafe natsOptions_Create(&made))
        guard let handle = unsafe made else { throw NATSConnection.Problem(NATS_NO_MEMORY) }
        unsafe self.handle = handle
        try check(unsafe natsOptions_SetURL(handle, address.url))
        try check(unsafe natsOptions_SetName(handle, options.name))
        try check(unsafe natsOptions_SetTimeout(handle, Int64(options.connectMilliseconds)))
        try check(unsafe natsOptions_SetAllowReconnect(handle, false))
        // Nothing waits for a thread that would send it otherwise.
        try check(unsafe natsOptions_SetSendAsap(handle, true))
        try check(unsafe natsOptions_SetWriteDeadline(handle, JournalLimits.writeMilliseconds))
        try check(unsafe natsOptions_SetIOBufSize(handle, JournalLimits.readBytes))
        try check(unsafe natsOptions_SetPingInterval(handle, JournalLimits.pingMilliseconds))
        try check(unsafe natsOptions_SetMaxPingsOut(handle, 2))
        if let path = options.credentials {
            try check(unsafe natsOptions_SetUserCredentialsFromFiles(handle, path, nil))
        }
        if usesTLS || address.wantsTLS || options.authorities != nil {
            try check(unsafe natsOptions_SetSecure(handle, true))
            try check(unsafe natsOptions_SetExpectedHostname(handle, address.host))
        }
        if let path = options.authorities { try check(unsafe natsOptions_LoadCATrustedCertificates(handle, path)) }
        try unsafe setCallbacks(data)
    }

    deinit { unsafe natsOptions_Destroy(handle) }

    private func check(_ status: natsStatus) throws(NATSConnection.Problem) { try NATSConnection.check(status) }

    @unsafe
    private func setCallbacks(_ data: UnsafeMutableRawPointer) throws(NATSConnection.Problem) {
        let closed: natsConnectionHandler = { connection, data in
            guard let connection = unsafe connection, let data = unsafe data else { return }
            var text: UnsafePointer<CChar>?
            unsafe natsConnection_GetLastError(connection, &text)
            let reason = unsafe text.map { unsafe String(cString: $0) } ?? ""
            // libnats calls nothing of this connection after this.
            unsafe Unmanaged<ConnectionDoor>.fromOpaque(data).takeRetainedValue().closed(reason)
        }
        let failed: natsErrHandler = { _, _, status, data in
            guard let data = unsafe data else { return }
            let problem = NATSConnection.Problem(status)
            unsafe Unmanaged<ConnectionDoor>.fromOpaque(data).takeUnretainedValue().failed(problem.reason)
        }
        try check(unsafe natsOptions_SetClosedCB(handle, closed, data))
        try check(unsafe natsOptions_SetErrorHandler(handle, failed, data))
        try unsafe setLoop(data)
    }

    /// The owner's loop reads and writes the socket: no thread of libnats stands between.
    @unsafe
    private func setLoop(_ data: UnsafeMutableRawPointer) throws(NATSConnection.Problem) {
        let attach: natsEvLoop_Attach = { user, data, _, socket in
            guard let user = unsafe user, let data = unsafe data else { return NATS_ERR }
            unsafe user.pointee = data
            let door = unsafe Unmanaged<ConnectionDoor>.fromOpaque(data).takeUnretainedValue()
            return door.attach(socket) ? NATS_OK : NATS_ERR
        }
        let write: natsEvLoop_WriteAddRemove = { data, isWanted in
            // It is also called when there is nothing to write any more.
            guard isWanted, let data = unsafe data else { return NATS_OK }
            unsafe Unmanaged<ConnectionDoor>.fromOpaque(data).takeUnretainedValue().wantsWriting()
            return NATS_OK
        }
        // The last of them comes after the callback that releases the door: they do not look at it.
        try check(
            unsafe natsOptions_SetEventLoop(handle, data, attach, { _, _ in NATS_OK }, write, { _ in NATS_OK }))
    }
}

@available(*, unavailable)
extension NATSOptions: Sendable {}
