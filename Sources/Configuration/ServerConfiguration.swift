package import Model
package import Services
package import Telemetry

/// How a server is to run: every value with its default.
///
/// - Confinement: any
package struct ServerConfiguration: Sendable {
    /// Name and version, as `hello`, `stats` and `--version` tell it.
    package static let serverName = "watchwise/0.1.0"

    /// Addresses to listen on, `HOST:PORT`; port 0 picks a free one.
    package var listen: [String] = ["127.0.0.1:8080"]
    /// The folder that holds everything the server keeps.
    package var data = "watchwise-data"
    /// The same as the configuration file writes it, where it belongs to the file's folder; nil for others.
    package var dataAsWritten: String?
    /// Event loops, one thread each; one per core when nil.
    package var loops: Int?
    /// Whether `GET /v1/echo` exists.
    package var hasEcho = false
    /// PEM file with the server's certificate and those up to the root; with ``tlsKey`` all listeners speak TLS.
    package var tlsCertificate: String?
    /// PEM file with the certificate's private key.
    package var tlsKey: String?
    /// Of WebSocket messages, for clients that ask for it.
    package var compression = CompressionMode.shared
    /// How long the log is kept for devices that were away.
    package var logRetention = LogRetentionTime.standard
    /// The longest that a stop waits for writes that were begun.
    package var stopMilliseconds = Limits.stopMilliseconds
    package var heartbeatMilliseconds = Limits.heartbeatMilliseconds
    /// Time in which a new WebSocket must say `hello`.
    package var helloMilliseconds = Limits.helloMilliseconds
    /// Time in which an HTTP request must be whole.
    package var requestMilliseconds = Limits.requestMilliseconds
    /// Of sessions that begin at once, for each loop.
    package var startBounds = StartBounds()
    /// Plurals of topic kinds that are not the kind and an `s`.
    package var collections = TopicCollections()
    /// Who may read and write documents by client commands, until a table is put at run time.
    package var rules = AccessRules()
    /// What those have who chose no preferences.
    package var preferences: DefaultPreferences?
    /// The trigger tables that a new folder begins with; the film network's when nil.
    package var triggers: [TriggerSource]?
    /// Pages that may open sessions from a browser, besides the server's own.
    package var origins = AllowedOrigins()
    /// Others whose tokens are accepted.
    package var issuers: [IssuerConfiguration] = []
    /// Firebase projects whose ID tokens are accepted.
    package var firebase: [IssuerConfiguration] = []
    /// Addresses beside the public internet that the server may connect to.
    package var outboundAllow = AddressRanges.none
    /// PEM file with the certificates to trust instead of the system's, where the server connects to others.
    package var outboundAuthorities: String?
    /// What is fetched from outside, besides the feeds put at run time.
    package var feeds: [FeedConfiguration] = []
    /// How webhooks are sent.
    package var webhooks = WebhookConfiguration()
    /// How often keys are fetched.
    package var keyPace = KeyPace()
    /// Proxies whose word about their clients' addresses is taken.
    package var trustedProxies = AddressRanges.loopback
    /// Whether trusted proxies begin each connection with a PROXY header.
    package var hasProxyProtocol = false
    package var connectionsPerAddress = Limits.connectionsPerAddressDefault
    package var connectionsPerUser = Limits.connectionsPerUserDefault
    /// Bytes that one user may write in an hour.
    package var writeBytesAnHour = Limits.writeBytesAnHourDefault
    /// Bytes held for all peers together.
    package var peerMemoryBytes = Limits.peerMemoryBytesDefault
    package var logLevel = ServerLog.Level.info
    /// Variables that begin like the server's own and mean nothing to it.
    package var unknownVariables: [ConfigurationLayers.UnknownVariable] = []
    package var clock = WallClock.steady

    package init() {}

    /// All whose tokens are accepted besides the server's own.
    package var foreignIssuers: [IssuerConfiguration] { issuers + firebase }
}
