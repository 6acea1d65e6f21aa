package import ClientProtocol
import JSON
import Model
package import Wire

/// How a session of a client behaves.
/// - Confinement: any
package struct ClientSessionConfiguration: Sendable, Hashable {
    /// The name of this device: a later connection with the same name replaces this one.
    package var device: String?
    /// The user whose device this is: the session ends before it sends anything for somebody else. Nil takes every user that a
    /// token names.
    package var user: String?
    /// The point after which missed events are wanted at the first connect; nil begins at the present.
    package var since: ResumePoint?
    /// Language tag of the texts of notifications.
    package var locale: String?
    /// Name and version of the program, for the operator.
    package var client: String?
    /// Waits between attempts to connect.
    package var backoff = Backoff()
    /// The time for connecting, handshake and `hello` together.
    package var connectTimeoutMilliseconds: Int64 = 10_000
    /// How long after the first unacknowledged event the client sends its cursor to the server; nil is never.
    package var ackAfterMilliseconds: Int64? = 1_000
    /// The most commands sent without their replies; further ones wait.
    package var inFlightMax = 128
    /// Silence beyond twice the server's heartbeat after which the connection counts as lost.
    package var silenceGraceMilliseconds: Int64 = 5_000
    /// Silence after which a hint of the system (visible, online, woke) asks the server for a sign of life.
    package var pingAfterMilliseconds: Int64 = 5_000
    /// The time for that sign of life.
    package var pingTimeoutMilliseconds: Int64 = 3_000
    /// Whether the owner stores events and says how far (`stored`): the cursor is then never ahead of the store.
    package var storesEvents = false
    /// Whether to come back after another connection of the same device has replaced this one (4409).
    package var returnsAfterReplacement = false
    /// Whether to try again after a refused upgrade, a handshake that is not valid, or a wrong certificate. A network that
    /// wants a sign-in first answers so in the server's place, and the device soon has another network. A bot or a command
    /// leaves this off: it would hide a wrong address.
    package var retriesRefusals = false
    /// Whether to go on slowly with new tokens where refusals of tokens would end the session. A program that has one token only
    /// leaves this off.
    package var retriesTokens = false
    /// The compression to offer. Bots offer none (nil), because they measure the server and not zlib.
    package var compression: PerMessageDeflateOffer?
    /// False ends the session at the first loss of the connection.
    package var reconnects = true

    /// The defaults for a device.
    package init(device: String? = nil) {
        self.device = device
    }

    /// The first command of a connection.
    /// - Parameter received: from which the session goes on; nil for a new token of the same connection.
    func hello(token: String, after received: ReceivedEvents?) -> ClientCommand {
        var fields: JSONObject = ["token": .string(token)]
        if let device { fields["device"] = .string(device) }
        for (name, point) in [("since", received?.cursor), ("readAfter", received?.readAfter)] {
            guard let point else { continue }
            fields[name] = ["epoch": .string(point.epoch.text), "seq": .integer(point.seq.value)]
        }
        if let locale { fields["locale"] = .string(locale) }
        if let client { fields["client"] = .string(client) }
        return ClientCommand(HelloCommand.self, fields)
    }
}
