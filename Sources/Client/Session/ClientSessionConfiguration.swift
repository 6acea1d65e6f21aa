package import ClientProtocol
package import Wire

/// How a session of a client behaves.
/// - Confinement: any
package struct ClientSessionConfiguration: Sendable, Hashable {
    /// This device's name: a later connection with the same one replaces this one.
    package var device: String?
    /// From where missed events are wanted at the first connect; nil begins at the present.
    package var since: ResumePoint?
    /// Language tag of the texts of notifications.
    package var locale: String?
    /// Name and version of the program, for the operator.
    package var client: String?
    /// Waits between attempts to connect.
    package var backoff = Backoff()
    /// For connecting, handshake and `hello` together.
    package var connectTimeoutMilliseconds: Int64 = 10_000
    /// How long after the first unacknowledged event the client sends its cursor to the server; nil is never.
    package var ackAfterMilliseconds: Int64? = 1_000
    /// Commands sent without their replies; the rest waits.
    package var inFlightMax = 128
    /// Silence beyond twice the server's heartbeat after which the connection counts as dead.
    package var silenceGraceMilliseconds: Int64 = 5_000
    /// The compression to offer; nil offers none, as bots do, which measure the server and not zlib.
    package var compression: PerMessageDeflateOffer?
    /// False ends the session at the first loss of the connection.
    package var reconnects = true

    /// The defaults for a device.
    package init(device: String? = nil) {
        self.device = device
    }
}
