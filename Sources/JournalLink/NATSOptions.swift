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
        // Nothing waits for the thread that would send it otherwise.
        try check(unsafe natsOptions_SetSendAsap(handle, true))
        try check(unsafe natsOptions_SetWriteDeadline(handle, JournalLimits.writeMilliseconds))
        try check(unsafe natsOptions_SetPingInterval(handle, JournalLimits.pingMilliseconds))
        try check(unsafe natsOptions_SetMaxPingsOut(handle, 2))
        // One thread brings all messages of all subscriptions: it only copies them.
        try check(unsafe natsOptions_UseGlobalMessageDelivery(handle, true))
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
    }
}

@available(*, unavailable)
extension NATSOptions: Sendable {}

/// Where libnats' threads report on one connection.
/// - Confinement: any
final class ConnectionDoor: Sendable {
    private let number: Int
    private let inputs: Mailbox<LinkInput>

    init(number: Int, into inputs: Mailbox<LinkInput>) {
        self.number = number
        self.inputs = inputs
    }

    func closed(_ reason: String) {
        inputs.post(.closed(connection: number, reason: reason.isEmpty ? "the server ended the connection" : reason))
    }

    func failed(_ reason: String) { inputs.post(.trouble(connection: number, reason: reason)) }
}
