import ArgumentParser
import Configuration
import Console
import Server

/// `watchwise serve`
struct Serve: ParsableCommand, CustomReflectable {
    static let configuration = CommandConfiguration(
        abstract: "Run the server.",
        discussion: """
            When it is ready it prints one line 'listening on ADDRESS' for each address; its log goes to standard \
            error. SIGTERM or SIGINT (Ctrl-C) ends it. SIGHUP reads the secret, the TLS certificate and its key again, for new \
            connections, and the keys of issuers; open connections stay as they are.

            Each option is also an environment variable (WATCHWISE_LISTEN, WATCHWISE_DEBUG_ECHO …) and a key of the \
            configuration file; the option goes before the variable, the variable before the file. The file is JSON; \
            its paths that do not begin with / belong to the file's own folder. It takes these keys:

            \(SettingTable.exampleFile(columns: 76).map { "  " + $0 }.joined(separator: "\n"))

            'watchwise settings' prints all settings with their names and defaults.

            EXAMPLES
              watchwise serve
              watchwise serve --listen 0.0.0.0:8080 --data /var/lib/watchwise
              watchwise serve --config /etc/watchwise.json --log-level warning
              watchwise serve --listen 127.0.0.1:0 --data /tmp/try --debug-echo
            """
    )

    private var config: String?
    /// The texts of the settings, by their keys.
    private var texts: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionName.self)
        config = try container.decode(Option<String?>.self, forKey: OptionName("config")).wrappedValue
        texts = try SettingOptions.texts(in: container)
    }

    var customMirror: Mirror {
        let config = Option<String?>(help: .value("file", "Configuration file. (variable: WATCHWISE_CONFIG)"))
        return Mirror(self, children: [("config", config)] + SettingOptions.definitions)
    }

    func run() throws {
        try ServerRun.run(try configuration()) { application, _ in
            for address in application.addresses { Terminal.line("listening on \(address)") }
            return {}
        }
    }

    /// A database that is only there when the path is read from the working folder is not passed over: no server may start
    /// empty beside its data.
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
        let configuration = try ConfigurationSources.read(flags: texts, file: config)
        try Self.checkPlace(of: configuration, Files.isThere)
        return configuration
    }
}
