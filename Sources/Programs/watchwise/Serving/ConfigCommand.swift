import ArgumentParser
import Configuration
import Console
import JSON

/// `watchwise config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "The configuration that 'serve' would have here, and a file to begin with.",
        discussion: """
            The file is JSON, in which comments from // to the end of the line may stand, and a comma after the last member.

            EXAMPLES
              watchwise config example >watchwise.json
              watchwise config show --config watchwise.json
            """,
        subcommands: [ConfigShow.self, ConfigExample.self])
}

/// `watchwise config show`
struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Each setting with its value, and where that comes from; it starts nothing.",
        discussion: """
            It reads the variables WATCHWISE_… and the file as 'watchwise serve' does, and refuses the same mistakes, with status 2. \
            Passwords and keys are not shown. The variables of a service of systemd are in its own file: \
            'set -a; . /etc/watchwise.env' before it takes them from there.

            EXAMPLES
              watchwise config show
              watchwise config show --config /etc/watchwise.json --all
            """)

    @Option(help: .value("file", "Configuration file. (variable: WATCHWISE_CONFIG)"))
    var config: String?
    @Flag(help: "Also the settings that have their default.")
    var all = false
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let layers = try ConfigurationSources.layers(file: config)
        _ = try ConfigurationSources.reading(layers) { () throws(ConfigurationProblem) in try layers.configuration() }
        let given = try ConfigurationSources.reading(layers) { () throws(ConfigurationProblem) in try layers.given() }
        let rows = SettingTable.settings.compactMap { setting -> JSONValue? in
            let own = given.first { $0.setting.key == setting.key }
            guard all || own != nil else { return nil }
            let value = own.map { Self.hidden($0.value) } ?? setting.standard.map { .string($0) } ?? .null
            return ["key": .string(setting.key), "value": value, "from": .string(own?.place ?? "default")]
        }
        if json { return Terminal.line(JSONValue.array(rows).text) }
        if rows.isEmpty {
            return Terminal.plainError(
                "Every setting has its default; --all shows them, 'watchwise settings' explains them.")
        }
        let columns: [Table.Column] = [
            .left("KEY"), .left("VALUE") { SettingTable.readable($0["value"] ?? .null).cut(to: 80) }, .left("FROM"),
        ]
        Table(of: rows, columns).show()
    }

    /// A value without what nobody else may know: passwords in addresses, and members that are called like a secret.
    private static func hidden(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(withoutPassword(text))
        case .array(let values): .array(values.map(hidden))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { member in
                        let isSecret = ["key", "password", "token", "secret"].contains(member.name.lowercased())
                        return (name: member.name, value: isSecret ? "(set)" : hidden(member.value))
                    }))
        default: value
        }
    }

    /// `nats://node:…@10.0.0.1` for an address with a password.
    private static func withoutPassword(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let at = text[scheme.upperBound...].firstIndex(of: "@"),
            let colon = text[scheme.upperBound..<at].firstIndex(of: ":")
        else { return text }
        return text[...colon] + "…" + text[at...]
    }
}

/// `watchwise config example`
struct ConfigExample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "A configuration file with every key in a comment.",
        discussion: """
            EXAMPLES
              watchwise config example >watchwise.json
            """)

    func run() { for line in SettingTable.commentedFile(columns: 120) { Terminal.line(line) } }
}
