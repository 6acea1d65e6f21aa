import Authentication
package import Execution
import JSON
package import Model
package import Notifying
package import Telemetry

/// How a server is to run: every value with its default, and the table of settings, which says how an operator gives it.
///
/// A new setting is a field with its default and one entry in the group after it. Options of `watchwise serve`, variables,
/// keys of the configuration file, help texts and the table in `deploy/README.md` come from the entry.
///
/// - Confinement: any
package struct ServerConfiguration: Sendable {
    /// Name and version, as `hello` and `stats` give it.
    package static let serverName = "watchwise/\(ProgramVersion.current)"

    /// All settings, in the order in which pages and help texts show them.
    package static let groups: [any SettingGroup.Type] = [
        Listening.self, Storage.self, BackupSettings.self, Encryption.self, Tokens.self, Triggering.self, Outbound.self,
        Webhooks.self,
        PushSettings.self, ClusterSettings.self, Limiting.self, Logging.self,
    ]

    /// Addresses to listen on, `HOST:PORT`; port 0 picks a free one.
    package var listen: [String] = ["127.0.0.1:8080"]
    /// Event loops, one thread each; one for each core when nil.
    package var loops: Int?
    /// After this time without a byte from a client the server pings it.
    package var heartbeatMilliseconds = Limits.heartbeatMilliseconds
    /// Time for which an HTTP connection without a request is kept.
    package var keepAliveMilliseconds = Limits.keepAliveMilliseconds
    /// Of WebSocket messages, for clients that ask for it.
    package var compression = CompressionMode.shared
    /// Pages that may open sessions from a browser, besides the server's own.
    package var origins = AllowedOrigins()
    /// Proxies whose `X-Forwarded-For` and PROXY headers the server believes.
    package var trustedProxies = AddressRanges.loopback
    /// Whether trusted proxies begin each connection with a PROXY header.
    package var hasProxyProtocol = false
    /// Which requests `/metrics` answers.
    package var metricsDoor = MetricsDoor.local
    /// Addresses on which `/metrics`, `/readyz` and `/healthz` are served to everybody, and nothing else.
    package var metricsListen: [String] = []
    /// Whether `GET /v1/echo` exists.
    package var hasEcho = false

    enum Listening: SettingGroup {
        static let title = "Listening"
        static let settings = [
            Setting(
                "listen", \.listen, .listeners, value: "host:port", example: ["0.0.0.0:8080"],
                help: "Address to listen on; port 0 picks a free one."),
            Setting(
                "loops", \.loops, .number(in: 1...64), value: "n", absent: "one for each core", example: 2,
                help: "Event loops, one thread each, 1 to 64."),
            Setting(
                "heartbeat", \.heartbeatMilliseconds, .number("of milliseconds", in: 10...86_400_000), value: "ms",
                example: 20_000, help: "Milliseconds without a byte from a client until the server pings it."),
            Setting(
                "keep-alive", \.keepAliveMilliseconds, .number("of milliseconds", in: 1000...86_400_000), value: "ms",
                example: 130_000,
                help: """
                    Milliseconds without a request until the server ends an HTTP connection; it must be longer than the time \
                    after which a proxy in front ends it, which is 60 s of nginx and of most load balancers.
                    """),
            Setting(
                "compression", \.compression, .choice(of: CompressionMode.allCases), value: "mode", example: "off",
                help: """
                    Compression of WebSocket messages: off, shared (each by itself, no memory for idle clients) or \
                    context (smaller, with a window kept for each client: somebody who can write to a user and sees \
                    how long the messages to that user are can guess private texts, even through TLS).
                    """),
            Setting(
                "origins", option: "origin", \.origins, .origins, value: "scheme://host",
                example: ["https://app.example.org"],
                help: "Origin of pages that may open sessions and use fetch, besides the server's own; * is any.",
                note: "Pages of other origins get 403."),
            Setting(
                "trusted-proxies", option: "trusted-proxy", \.trustedProxies, .trustedProxies, value: "address",
                example: ["10.0.0.1"],
                help:
                    "Proxy whose X-Forwarded-For is believed: an address, a network, or none; it must append its client."
            ),
            Setting(
                "proxy-protocol", \.hasProxyProtocol, .truth, example: true,
                help: "Expect the PROXY protocol, version 1 or 2, from trusted proxies."),
            Setting(
                "metrics", \.metricsDoor, .choice(of: MetricsDoor.allCases), value: "door", example: "token",
                help: """
                    Which requests see /metrics, and the reasons in /readyz: local (programs of this machine that come by \
                    no proxy, and tokens with the scope metrics or admin:read), token (tokens alone) or open (all).
                    """),
            Setting(
                "metrics-listen", \.metricsListen, .listeners, value: "host:port", example: ["10.0.0.5:9100"],
                help: "Address that serves /metrics, /readyz and /healthz, and nothing else, to all who reach it."),
            Setting(
                "debug-echo", \.hasEcho, .truth, example: true,
                help: "Add GET /v1/echo, a WebSocket that sends back what it gets."),
        ]
    }

    /// The folder that holds everything the server keeps.
    package var data = "watchwise-data"
    /// How long rows are kept that go after a time.
    package var retention = RetentionTimes()
    /// Milliseconds for which its author may edit a message.
    package var editMilliseconds = Limits.editMilliseconds
    /// Whether messages are indexed, for the command `search`.
    package var searches = true
    package var noticeMilliseconds: Int64?
    package var backups = BackupConfiguration()
    /// The longest time that a stop waits for writes that were begun.
    package var stopMilliseconds = Limits.stopMilliseconds

    enum Storage: SettingGroup {
        static let title = "Storage"
        static let settings = [
            Setting(
                "data", \.data, .path(of: "a folder"), value: "dir", example: "/var/lib/watchwise",
                help: "Folder for everything the server keeps; made if it does not exist."),
            Setting(
                "retention", \.retention, .retention, example: ["log": "12h", "audit": "90d"],
                help: "How long rows of each kind are kept: log, edits, reports, audit, notifications, messages.",
                note: """
                    The four settings below say the same for one kind, and win. Notifications and messages are kept for ever \
                    unless a time is given: then a notification expires for everybody, and a message is deleted. Chats and \
                    documents are kept until somebody deletes them. 'watchwise stats' shows of each kind the oldest row, the \
                    last run, and how many rows went.
                    """),
            Setting(
                "log-retention", \.retention.log, .spanOrForever, value: "time", example: "12h",
                help: "How long devices that were away can catch up event by event, such as 12h or 30d, or forever.",
                note: """
                    It does not touch messages, chats, documents and inboxes. 'watchwise stats' shows log_entries, \
                    log_retained_from and log_trimmed_total.
                    """),
            Setting(
                "edit-window", \.editMilliseconds, .span, value: "time", example: "1h",
                help: "How long its author may edit a message, such as 15m or 24h."),
            Setting(
                "edit-retention", \.retention.edits, .span, value: "time", example: "30d",
                help: "How long texts that were edited away or deleted are kept for reports, such as 7d.",
                note: "Nobody gets them by a command, an event or a page."),
            Setting(
                "audit-retention", \.retention.audit, .span, value: "time", example: "90d",
                help: "How long the audit keeps what administrators did, such as 400d; see 'watchwise audit'."),
            Setting(
                "search", \.searches, .truth, value: "true-or-false", example: false,
                help: "Whether people can search their chats.",
                note: "The index is in search.db, about 60 bytes for a message; without the file it is built again."),
            Setting(
                "report-retention", \.retention.reports, .span, value: "time", example: "365d",
                help: "How long reports are kept with their copies, such as 180d."),
            Setting(
                "device-retention", \.retention.registrations, .days, value: "time", example: "30d",
                help: "How long a registration for pushes stays without its device's token, such as 270d; at least 2d.",
                note: "A hello of the device, or another registration, counts as shown."),
            Setting(
                "stop-notice", \.noticeMilliseconds, .span, value: "time", absent: nil, example: "5s",
                help: "For how long /readyz says 503 before a stop, so that a proxy sends nobody here any more."),
            Setting(
                "stop-timeout", \.stopMilliseconds, .stopTime, value: "time", example: "2m",
                help: "The longest time that a stop waits for unfinished writes, as long as the disk accepts them."),
        ]
    }

    /// PEM file with the server's certificate and its chain; with ``tlsKey`` all listeners speak TLS.
    package var tlsCertificate: String?
    /// PEM file with the certificate's private key.
    package var tlsKey: String?

    enum Encryption: SettingGroup {
        static let title = "TLS"
        static let settings = [
            Setting(
                "tls-certificate", \.tlsCertificate,
                .path(of: "a PEM file with the server's certificate and its chain"), value: "file", absent: nil,
                example: "/etc/watchwise/tls.pem",
                help: "Speak TLS with this certificate and its chain (PEM).",
                note: """
                    Every listener speaks TLS 1.2 and 1.3, modern suites only. SIGHUP reads both files again without \
                    dropping a connection; bad files change nothing.
                    """),
            Setting(
                "tls-key", \.tlsKey, .path(of: "a PEM file with the certificate's private key"), value: "file",
                absent: nil, example: "/etc/watchwise/tls.key", help: "Private key of the certificate (PEM)."),
        ]
    }

    /// Other issuers whose tokens are accepted.
    package var issuers: [IssuerConfiguration] = []
    /// Firebase projects whose ID tokens are accepted.
    package var firebase: [IssuerConfiguration] = []

    enum Tokens: SettingGroup {
        static let title = "Tokens"
        static let settings = [
            Setting(
                "firebase-project", \.firebase, .firebaseProjects, value: "project", example: ["film-night"],
                help: "Accept the ID tokens of this Firebase project."),
            Setting(
                "issuers", option: "issuer", \.issuers, .issuers, value: "description",
                example: [
                    [
                        "issuer": "https://id.example.org", "audience": "watchwise",
                        "keys": "https://id.example.org/jwks.json", "admin": false,
                    ]
                ],
                help: """
                    Accept the tokens of this issuer, signed with RS256, ES256 or EdDSA. NAME=VALUE with spaces between: \
                    issuer (iss), audience (aud), keys (JWKS: an https URL or a file); admin=true if the scopes of operators \
                    count, or scopes=admin:read+metrics for some; user, prefix, spelling and roles say how they name people.
                    """,
                note: "In the file it is a list of objects with these members; Tokens.md explains them."),
        ]
    }

    /// The trigger tables that a new folder begins with; none when nil.
    package var triggers: [TriggerSource]?
    /// Which users may read and write documents by client commands, until a table is put at run time.
    package var rules = AccessRules()
    /// The preferences of users who have chosen none.
    package var preferences: DefaultPreferences?
    /// Plurals of topic kinds that are not the kind and an `s`.
    package var collections = TopicCollections()

    enum Triggering: SettingGroup {
        static let title = "Triggers and rules"
        static let settings = [
            Setting(
                "triggers", \.triggers, .triggers, value: "name-or-file", absent: "none",
                example: ["air-quality"],
                help: "Trigger table that a new folder begins with, a ready one (\(ReadyApplication.names)) or a file.",
                note: "A folder that has a table keeps it, and the log says so; 'watchwise trigger put' changes it."),
            Setting(
                "rules", \.rules, .rules, example: ["stations/{station}": "public"],
                help: "Which users may read and write which documents (Documents.md).",
                note: "They hold until 'watchwise rules set' puts others."),
            Setting(
                "preferences", \.preferences, .preferences, absent: nil, example: ["timeZone": "Europe/Rome"],
                help: """
                    Preferences of users who have chosen none, as the command preferences takes them: quiet hours, a \
                    time zone, mutes.
                    """),
            Setting(
                "collections", \.collections, .collections, example: ["person": "persons"],
                help: "Plurals of topic kinds, where they are not those of English."),
            Setting(
                "profile", \.profile, .memberNames, value: "field", example: ["name", "picture"],
                help: "Member of the document users/USER that the list of chats shows of the other person.",
                note: "Everybody in a chat with a user sees it, whatever the rules say of the document."),
        ]
    }

    /// Members of the documents of users that `chats` shows to the people in a chat with them.
    package var profile: [String] = []
    /// Addresses besides the public internet that the server may connect to.
    package var outboundAllow = AddressRanges.none
    /// PEM file with the certificates to trust instead of the system's, where the server connects to others.
    package var outboundAuthorities: String?
    /// Feeds, besides those put at run time.
    package var feeds: [FeedConfiguration] = []

    enum Outbound: SettingGroup {
        static let title = "Outbound connections"
        static let settings = [
            Setting(
                "outbound-allow", \.outboundAllow, .ranges, value: "range", example: ["10.0.0.0/8"],
                help: "Let the server connect to these addresses, though they are not public."),
            Setting(
                "outbound-authorities", \.outboundAuthorities, .path(of: "a PEM file with the certificates to trust"),
                value: "file", absent: nil, example: "/etc/ssl/company.pem",
                help: "Trust these certificates (PEM) instead of the system's where the server connects to others."),
            Setting(
                "feeds", \.feeds, .feeds,
                example: [["name": "news", "kind": "rss", "url": "https://news.example.org/feed.xml"]],
                help: "Feeds besides those put at run time.",
                note: """
                    Members of each: name, kind (tmdb, gios, rss), url, one of key, keyFile and keyEnvironment, \
                    interval, people, series, stations and others (FeedSources.md).
                    """),
        ]
    }

    package var webhooks = WebhookConfiguration()

    enum Webhooks: SettingGroup {
        static let title = "Webhooks"
        static let settings = [
            Setting(
                "webhook-allow", \.webhooks.allow, .ranges, value: "range", example: ["192.168.0.0/16"],
                help: "Let webhooks go to these addresses, though they are not public."),
            Setting(
                "webhook-plain", \.webhooks.mayBePlain, .truth, example: true,
                help: """
                    Let webhooks go over plain http to public addresses, too; to those of --webhook-allow they always \
                    may.
                    """),
            Setting(
                "webhook-source", \.webhooks.source,
                .text(
                    "must be a URI, or the path of one, of 1 to 256 characters, such as /watchwise",
                    where: WebhookConfiguration.isSource),
                value: "uri", example: "https://example.org/watchwise", help: "Source of the CloudEvents."),
            Setting(
                "webhook-secret", \.webhooks.secretPath,
                .path(of: "a file with one or two lines of whsec_BASE64; it is made if absent"), value: "file",
                absent: "webhook-secret in the folder", example: "/etc/watchwise/webhook-secret",
                help: "File with the secret that signs webhooks; made if absent."),
        ]
    }

    package var push = PushConfiguration()

    package var cluster = ClusterConfiguration()

    package var connectionsPerAddress = Limits.connectionsPerAddressDefault
    package var connectionsPerUser = Limits.connectionsPerUserDefault
    /// Bytes held for all clients together.
    package var peerMemoryBytes = Limits.peerMemoryBytesDefault
    /// Bytes that one user may write in an hour.
    package var writeBytesAnHour = Limits.writeBytesAnHourDefault
    /// How often each person may do things, over all devices.
    package var limits = PersonLimits.none

    enum Limiting: SettingGroup {
        static let title = "Limits"
        static let settings = [
            Setting(
                "connections-per-address", \.connectionsPerAddress, .number(in: 1...10_000_000), value: "n",
                example: 200,
                help: """
                    The most connections of one address that is not a trusted proxy (an IPv6 network of 64 bits counts as one).
                    """),
            Setting(
                "connections-per-user", \.connectionsPerUser, .number(in: 1...10_000_000), value: "n", example: 100,
                help: "The most sessions of one user."),
            Setting(
                "peer-memory", \.peerMemoryBytes, .mebibytes, value: "mib", example: 64,
                help: "The most MiB for all clients together: unfinished messages, events not yet taken."),
            Setting(
                "write-limit", \.writeBytesAnHour, .mebibytes, value: "mib", example: 64,
                help: "The most MiB that one user may write in an hour."),
            Setting(
                "limits", \.limits, .limits,
                example: [
                    "send": "30/10s", "first-contact": "20/1d", "recommend": "20/1m", "follow": "100/1h",
                    "report": "50/1d", "room.create": "10/1h",
                ],
                help: "How often each person may do things, over all devices; nothing is limited without it.",
                note: """
                    The example shows the recommended values. PUT /v1/users/ID/limits gives one person others. At most \
                    50 reports a day are taken from each person in any case, unless report says otherwise.
                    """),
        ]
    }

    package var logLevel = ServerLog.Level.info

    enum Logging: SettingGroup {
        static let title = "Logging"
        static let settings = [
            Setting(
                "log-level", \.logLevel, .choice(of: [.debug, .info, .warning, .error, .silent]), value: "level",
                example: "warning",
                help: "The least important lines that the log shows: debug, info, warning, error or silent.")
        ]
    }

    // The rest is for tests, or follows from how the settings were given.

    /// Time in which a new WebSocket must say `hello`.
    package var helloMilliseconds = Limits.helloMilliseconds
    /// Time in which an HTTP request must be whole.
    package var requestMilliseconds = Limits.requestMilliseconds
    /// Of sessions that begin at once, for each loop.
    package var startBounds = StartBounds()
    /// How often keys are fetched.
    package var keyPace = KeyPace()
    package var clock = WallClock.steady
    /// ``data`` as the configuration file writes it, where it belongs to the file's folder; otherwise nil.
    package var dataAsWritten: String?
    /// Variables that begin like the server's own and that it does not know.
    package var unknownVariables: [UnknownVariable] = []

    package init() {}

    /// The file with the keys of Web Push, in the folder; see `VAPIDKeys`.
    package var vapidKeyPath: String { VAPIDKeys.path(inFolder: data) }

    /// All issuers whose tokens are accepted besides the server's own.
    package var foreignIssuers: [IssuerConfiguration] { issuers + firebase }
}
