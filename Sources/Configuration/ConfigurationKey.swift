import Telemetry

/// What can be configured; the raw value is the name in the configuration file.
///
/// - Confinement: any
package enum ConfigurationKey: String, Sendable, Hashable, CaseIterable {
    case listen, data, loops, heartbeat, compression
    case logLevel = "log-level"
    case logRetention = "log-retention"
    case stopTimeout = "stop-timeout"
    case debugEcho = "debug-echo"
    case tlsCertificate = "tls-certificate"
    case tlsKey = "tls-key"
    case trustedProxies = "trusted-proxies"
    case proxyProtocol = "proxy-protocol"
    case connectionsPerAddress = "connections-per-address"
    case connectionsPerUser = "connections-per-user"
    case peerMemory = "peer-memory"
    /// MiB that one user may write in an hour.
    case writeLimit = "write-limit"
    /// Plurals of topic kinds; has no flag.
    case collections
    /// Who reads and writes which documents; has no flag.
    case rules
    /// The preferences of those who chose none; has no flag.
    case preferences
    /// The trigger tables of a new folder; the flag names one and is repeated.
    case triggers
    /// Of pages that may open sessions; the flag names one and is repeated.
    case origins
    /// Others whose tokens are accepted; the flag describes one and is repeated.
    case issuers
    case firebaseProject = "firebase-project"
    /// Ranges beside the public internet that the server may connect to.
    case outboundAllow = "outbound-allow"
    case outboundAuthorities = "outbound-authorities"
    /// What is fetched from outside; has no flag.
    case feeds
    /// Ranges beside the public internet that webhooks may go to.
    case webhookAllow = "webhook-allow"
    case webhookPlain = "webhook-plain"
    case webhookSource = "webhook-source"
    case webhookSecret = "webhook-secret"

    /// The flag of `watchwise serve`.
    package var flag: String {
        switch self {
        case .origins: "--origin"
        case .issuers: "--issuer"
        case .trustedProxies: "--trusted-proxy"
        default: "--" + rawValue
        }
    }

    /// Whether it takes a list: a flag that is repeated, a variable with commas.
    package var isList: Bool {
        let keys: Set<ConfigurationKey> = [
            .listen, .triggers, .origins, .trustedProxies, .issuers, .firebaseProject, .outboundAllow, .webhookAllow,
        ]
        return keys.contains(self)
    }

    /// `WATCHWISE_DEBUG_ECHO` and the like.
    package var environmentName: String {
        "WATCHWISE_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// What a value must be, as it goes on after the key's name.
    package var wanted: String {
        switch self {
        case .listen: "must be HOST:PORT with a numeric host, such as 127.0.0.1:8080 or [::]:8080, or a list of these"
        case .data: "must be the path of a folder"
        case .loops: "must be a whole number from 1 to \(Self.loopsMax)"
        case .heartbeat:
            "must be a whole number of milliseconds from \(Self.heartbeats.lowerBound) to "
                + "\(Self.heartbeats.upperBound)"
        case .compression: "must be one of \(CompressionMode.allCases.map(\.rawValue).joined(separator: ", "))"
        case .logLevel: "must be one of \(Self.logLevels.map { "\($0)" }.joined(separator: ", "))"
        case .tlsCertificate: "must be the path of a PEM file with the server's certificate and its chain"
        case .tlsKey: "must be the path of a PEM file with the certificate's private key"
        case .logRetention: LogRetentionTime.wanted
        case .stopTimeout: "must be a time from 1s to 1h, such as 30s or 2m; a number alone counts seconds"
        case .debugEcho: "must be true or false"
        case .origins: "must be SCHEME://HOST[:PORT], such as https://app.example.org, or *, or a list of these"
        case .rules:
            "must give path patterns their rules, such as {\"users/{user}/tasks/{task}\": \"owner\"}"
        case .preferences:
            "must be the object that the command preferences takes, such as {\"levels\": [\"time-sensitive\", \"critical\"]}"
        case .triggers:
            "must be a ready table (\(ReadyApplication.names)), the path of a file with rows, or a list of these"
        case .issuers: "must be \(IssuerConfiguration.form), or a list of these, each issuer once"
        case .firebaseProject: "must be the id of a Firebase project, such as film-night, or a list of these"
        case .outboundAllow, .webhookAllow:
            "must be a range of addresses, such as 10.0.0.0/8 or fd00::/8, or a list of these"
        case .outboundAuthorities: "must be the path of a PEM file with the certificates to trust"
        case .feeds:
            "must be a list of feeds, such as [{\"name\": \"announcements\", \"kind\": \"rss\", \"url\": …}]"
        case .trustedProxies: "must be an address or a network, such as 10.0.0.0/8 or ::1, a list of these, or none"
        case .proxyProtocol, .webhookPlain: "must be true or false"
        case .webhookSource: "must be a URI, or the path of one, of 1 to 256 characters, such as /watchwise"
        case .webhookSecret: "must be the path of a file with one or two lines of whsec_BASE64; it is made if absent"
        case .connectionsPerAddress, .connectionsPerUser:
            "must be a whole number from \(Self.connections.lowerBound) to \(Self.connections.upperBound)"
        case .peerMemory, .writeLimit:
            "must be a whole number of MiB from \(Self.peerMemories.lowerBound) to \(Self.peerMemories.upperBound)"
        case .collections: "must give topic kinds their plurals, such as {\"person\": \"people\"}, each plural once"
        }
    }

    static let loopsMax: Int64 = 64
    package static let connections: ClosedRange<Int64> = 1...10_000_000
    static let peerMemories: ClosedRange<Int64> = 1...1_048_576
    static let heartbeats: ClosedRange<Int64> = 10...86_400_000
    static let stopTimeouts: ClosedRange<Int64> = 1000...3_600_000
    static let logLevels: [ServerLog.Level] = [.debug, .info, .warning, .error, .silent]
}

/// What is wrong with the configuration, and where it stands.
///
/// - Confinement: any
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The flag, the environment variable, or the file and its key.
    package let place: String
    /// What is wrong and what is allowed, as it goes on after the place.
    package let message: String
    /// Where in the file the text cannot be read on, counted from 1; nil when the text can be read.
    package let character: Int?

    package init(place: String, message: String, character: Int? = nil) {
        self.place = place
        self.message = message
        self.character = character
    }

    package var description: String { "\(place) \(message)" }
}
