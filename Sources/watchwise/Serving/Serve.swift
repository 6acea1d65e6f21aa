import ArgumentParser
import Configuration
import Server

/// `watchwise serve`
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            When it is ready it prints one line 'listening on ADDRESS' for each address; its log goes to standard \
            error. SIGTERM or SIGINT (Ctrl-C) ends it. SIGHUP reads the TLS certificate and key again, for new \
            connections, and the keys of issuers; open connections stay as they are.

            Each option is also an environment variable (WATCHWISE_LISTEN, WATCHWISE_DEBUG_ECHO …) and a key of the \
            configuration file; the option goes before the variable, the variable before the file. The file is JSON; \
            its paths that do not begin with / belong to the file's own folder:

              {"listen": ["127.0.0.1:8080"], "data": "/var/lib/watchwise", "loops": 2, "heartbeat": 25000,
               "log-level": "info", "log-retention": "30d", "stop-timeout": "30s", "compression": "shared",
               "debug-echo": false,
               "collections": {"person": "people"}, "triggers": ["air-quality"],
               "rules": {"stations/{station}": "public"},
               "origins": ["https://app.example.org"], "firebase-project": "film-night",
               "issuers": [{"issuer": "https://id.example.org", "audience": "watchwise",
                            "keys": "https://id.example.org/jwks.json", "admin": false}],
               "outbound-allow": ["10.0.0.0/8"], "outbound-authorities": "/etc/ssl/company.pem",
               "webhook-allow": ["10.0.0.0/8"], "webhook-plain": false, "webhook-source": "/watchwise",
               "webhook-secret": "/etc/watchwise/webhook-secret",
               "feeds": [{"name": "films", "kind": "tmdb", "keyFile": "/etc/watchwise/tmdb.key"}]}

            EXAMPLES
              watchwise serve
              watchwise serve --listen 0.0.0.0:8080 --data /var/lib/watchwise
              watchwise serve --config /etc/watchwise.json --log-level warning
              watchwise serve --listen 127.0.0.1:0 --data /tmp/try --debug-echo
            """
    )

    @Option(
        help: ArgumentHelp(
            "Address to listen on; may be repeated; port 0 picks a free one. (default: 127.0.0.1:8080)",
            valueName: "host:port"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "Folder for everything the server keeps; made if it does not exist. (default: watchwise-data)",
            valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Origin of pages that may open sessions and use fetch, besides the server's own; may be repeated; * is any.",
            valueName: "scheme://host"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Proxy whose X-Forwarded-For is believed, an address or a network; it must append its client; may be "
                + "repeated; none for no proxy. (default: 127.0.0.0/8 and ::1)", valueName: "address"))
    var trustedProxy: [String] = []

    @Flag(help: "Expect the PROXY protocol, version 1 or 2, from trusted proxies.")
    var proxyProtocol = false

    @Option(
        help: ArgumentHelp(
            "Connections of one address that is not a trusted proxy (an IPv6 network of 64 bits counts as one). "
                + "(default: 1000)", valueName: "n"))
    var connectionsPerAddress: String?

    @Option(help: ArgumentHelp("Sessions of one user. (default: 10000)", valueName: "n"))
    var connectionsPerUser: String?

    @Option(
        help: ArgumentHelp(
            "Memory for all clients together: unfinished messages, events not yet taken. (default: 32)",
            valueName: "mib"))
    var peerMemory: String?

    @Option(help: ArgumentHelp("The most that one user may write in an hour. (default: 256)", valueName: "mib"))
    var writeLimit: String?

    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Trigger table that a new folder begins with, a ready one (\(ReadyApplication.names)) or a file; may be "
                + "repeated. (default: film-network)", valueName: "name-or-file"))
    var triggers: [String] = []

    @Option(help: ArgumentHelp("Event loops, one thread each, 1 to 64. (default: one for each core)", valueName: "n"))
    var loops: String?

    @Option(help: ArgumentHelp("Silence after which a client is pinged. (default: 25000)", valueName: "ms"))
    var heartbeat: String?

    @Option(
        help: ArgumentHelp(
            "Compression of WebSocket messages: off, shared (each by itself, no memory for idle clients) or context (smaller, "
                + "with a window kept for each client: somebody who can write to a user and sees how long the messages to "
                + "that user are can guess private texts, even through TLS). (default: shared)",
            valueName: "mode"))
    var compression: String?

    @Option(
        help: ArgumentHelp(
            "How long devices that were away can catch up event by event, such as 12h or 30d, or forever. "
                + "(default: 30d)",
            valueName: "time"))
    var logRetention: String?

    @Option(
        help: ArgumentHelp(
            "The longest time that a stop waits for unfinished writes, as long as the disk accepts them. (default: 30s)",
            valueName: "time"))
    var stopTimeout: String?

    @Option(help: ArgumentHelp("debug, info, warning, error or silent. (default: info)", valueName: "level"))
    var logLevel: String?

    @Flag(help: "Add GET /v1/echo, a WebSocket that sends back what it gets.")
    var debugEcho = false

    @Option(help: ArgumentHelp("Speak TLS with this certificate and its chain (PEM).", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("Private key of the certificate (PEM).", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Accept the ID tokens of this Firebase project; may be repeated.", valueName: "project"))
    var firebaseProject: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept the tokens of this issuer, signed with RS256, ES256 or EdDSA; may be repeated. NAME=VALUE with "
                + "spaces between: issuer (iss), audience (aud), keys (JWKS: an https URL or a file), and admin=true if "
                + "its scope admin counts.",
            valueName: "description"))
    var issuer: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let the server connect to these addresses, though they are not public; may be repeated.",
            valueName: "range"))
    var outboundAllow: [String] = []

    @Option(
        help: ArgumentHelp(
            "Trust these certificates (PEM) instead of the system's where the server connects to others.",
            valueName: "file"))
    var outboundAuthorities: String?

    @Option(
        help: ArgumentHelp(
            "Let webhooks go to these addresses, though they are not public; may be repeated.", valueName: "range"))
    var webhookAllow: [String] = []

    @Flag(
        help: "Let webhooks go over plain http to public addresses, too; to those of --webhook-allow they always may.")
    var webhookPlain = false

    @Option(help: ArgumentHelp("Source of the CloudEvents. (default: /watchwise)", valueName: "uri"))
    var webhookSource: String?

    @Option(
        help: ArgumentHelp(
            "File with the secret that signs webhooks; made if absent. (default: webhook-secret in the folder)",
            valueName: "file"))
    var webhookSecret: String?

    func run() throws {
        try ServerRun.run(try configuration()) { application, _ in
            for address in application.addresses { Terminal.line("listening on \(address)") }
            return {}
        }
    }

    /// Earlier versions resolved the file's paths from the working folder: no server may start empty beside its data.
    private static func checkPlace(of configuration: ServerConfiguration, _ isThere: (String) -> Bool) throws {
        guard let before = configuration.dataAsWritten, isThere(before + "/watchwise.db"),
            !isThere(configuration.data + "/watchwise.db")
        else { return }
        throw CommandFailure(
            .misused,
            "'data' belongs to the configuration file's folder, so \(before) is \(configuration.data), where no database "
                + "is; there is one in \(before) seen from here: write its whole path")
    }

    private func configuration() throws -> ServerConfiguration {
        var flags: [ConfigurationKey: [String]] = [:]
        if !listen.isEmpty { flags[.listen] = listen }
        if !origin.isEmpty { flags[.origins] = origin }
        if !trustedProxy.isEmpty { flags[.trustedProxies] = trustedProxy }
        if proxyProtocol { flags[.proxyProtocol] = ["true"] }
        flags[.connectionsPerAddress] = connectionsPerAddress.map { [$0] }
        flags[.connectionsPerUser] = connectionsPerUser.map { [$0] }
        flags[.peerMemory] = peerMemory.map { [$0] }
        flags[.writeLimit] = writeLimit.map { [$0] }
        flags[.data] = data.map { [$0] }
        flags[.loops] = loops.map { [$0] }
        flags[.heartbeat] = heartbeat.map { [$0] }
        flags[.compression] = compression.map { [$0] }
        flags[.logRetention] = logRetention.map { [$0] }
        flags[.stopTimeout] = stopTimeout.map { [$0] }
        flags[.logLevel] = logLevel.map { [$0] }
        flags[.tlsCertificate] = tlsCertificate.map { [$0] }
        flags[.tlsKey] = tlsKey.map { [$0] }
        if !triggers.isEmpty { flags[.triggers] = triggers }
        if !firebaseProject.isEmpty { flags[.firebaseProject] = firebaseProject }
        if !issuer.isEmpty { flags[.issuers] = issuer }
        if !outboundAllow.isEmpty { flags[.outboundAllow] = outboundAllow }
        flags[.outboundAuthorities] = outboundAuthorities.map { [$0] }
        if !webhookAllow.isEmpty { flags[.webhookAllow] = webhookAllow }
        if webhookPlain { flags[.webhookPlain] = ["true"] }
        flags[.webhookSource] = webhookSource.map { [$0] }
        flags[.webhookSecret] = webhookSecret.map { [$0] }
        if debugEcho { flags[.debugEcho] = ["true"] }
        var layers = ConfigurationLayers(flags: flags, environment: Surroundings.environment)
        if let path = config ?? Surroundings.variable("WATCHWISE_CONFIG") {
            layers.file = ConfigurationLayers.File(name: path, bytes: try Files.read(path))
        }
        do {
            let configuration = try layers.configuration()
            try Self.checkPlace(of: configuration, Files.isThere)
            return configuration
        } catch let error as ConfigurationProblem {
            let text = String(decoding: layers.file?.bytes ?? [], as: UTF8.self)
            let place = error.character.map { "\n" + Caret.lines(text, character: min($0, text.count + 1)) } ?? ""
            throw CommandFailure(.misused, error.description + place)
        }
    }
}
