import CNATS

/// One subscription of libnats; it ends when it is released.
///
/// Its messages wait in it until the loop takes them: they come by ``NATSConnection/read()``, on the same loop.
/// - Confinement: loop
@safe
final class NATSSubscription {
    /// The result of taking a message.
    enum Taken {
        case message(NATSMessage)
        /// The server says that nobody takes what was sent; libnats does not say to which message it answers.
        case nobody
        /// No message waits.
        case nothing
    }

    /// `natsSubscription`.
    private let handle: OpaquePointer

    /// - Returns: nil when the connection is over.
    init?(to subject: String, on connection: NATSConnection) {
        var made: OpaquePointer?
        let status = unsafe connection.perform { connection in
            unsafe natsConnection_SubscribeSync(&made, connection, subject)
        }
        guard status == NATS_OK, let handle = unsafe made else { return nil }
        unsafe self.handle = handle
        // No more can wait than one read of the socket brings.
        unsafe natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit { unsafe natsSubscription_Destroy(handle) }

    /// Takes the message that has waited longest.
    func take() -> Taken {
        var count: Int32 = 0
        // An error of libnats is costly, so it is asked first.
        guard unsafe natsSubscription_GetPending(handle, &count, nil) == NATS_OK, count > 0 else { return .nothing }
        var message: OpaquePointer?
        let status = unsafe natsSubscription_NextMsg(&message, handle, 0)
        if status == NATS_NO_RESPONDERS { return .nobody }
        guard status == NATS_OK, let message = unsafe message else { return .nothing }
        defer { unsafe natsMsg_Destroy(message) }
        return unsafe .message(NATSMessage(message))
    }
}

@available(*, unavailable)
extension NATSSubscription: Sendable {}
