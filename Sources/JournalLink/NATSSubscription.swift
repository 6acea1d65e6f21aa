import CNATS

/// One subscription of libnats; it ends when it is released.
///
/// libnats holds the sink until its last message was delivered.
/// - Confinement: loop; libnats' threads use only the sink
@safe
final class NATSSubscription {
    /// Where the messages go.
    let sink: NATSSink
    /// `natsSubscription`.
    private let handle: OpaquePointer

    /// - Returns: nil when the connection is over.
    init?(to subject: String, on connection: NATSConnection, into sink: NATSSink) {
        self.sink = sink
        let data = unsafe Unmanaged.passRetained(sink).toOpaque()
        var handle: OpaquePointer?
        let status = unsafe connection.withHandle { connection in
            unsafe natsConnection_Subscribe(
                &handle, connection, subject,
                { _, _, message, data in
                    guard let message = unsafe message, let data = unsafe data else { return }
                    unsafe Unmanaged<NATSSink>.fromOpaque(data).takeUnretainedValue().take(NATSMessage(message))
                    unsafe natsMsg_Destroy(message)
                },
                data
            )
        }
        guard status == NATS_OK, let handle = unsafe handle else {
            unsafe Unmanaged<NATSSink>.fromOpaque(data).release()
            return nil
        }
        unsafe self.handle = handle
        // The owner bounds these by what it asks for; libnats has bounds of its own for the others.
        if sink.isUnbounded { unsafe natsSubscription_SetPendingLimits(handle, -1, -1) }
        unsafe natsSubscription_SetOnCompleteCB(
            handle,
            { data in
                guard let data = unsafe data else { return }
                unsafe Unmanaged<NATSSink>.fromOpaque(data).release()
            },
            data
        )
    }

    deinit { unsafe natsSubscription_Destroy(handle) }
}

@available(*, unavailable)
extension NATSSubscription: Sendable {}
