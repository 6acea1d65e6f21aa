import ArgumentParser
import Configuration
import Console
import JSON

/// `watchwise settings`
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Print the settings of the server: options, variables, keys of the file, defaults.",
        discussion: """
            Each setting is an option of 'watchwise serve', an environment variable and a key of the configuration file. \
            It prints the table, not the values that a server has.

            EXAMPLES
              watchwise settings
              watchwise settings --json
            """
    )

    @Flag(help: "Print JSON.")
    var json = false
    @Flag(help: "Print the Markdown table of deploy/README.md.")
    var markdown = false

    func validate() throws {
        guard !(json && markdown) else { throw ValidationError("--json and --markdown exclude each other.") }
    }

    func run() {
        if json { return Terminal.line(SettingTable.json.text) }
        if markdown { return Terminal.line(SettingTable.markdown) }
        var table = Table(("OPTION", .left), ("VARIABLE", .left), ("KEY", .left), ("DEFAULT", .left))
        for setting in SettingTable.settings {
            table.add(setting.usage ?? "", setting.variable, setting.key, setting.standard ?? "")
        }
        var names = table.lines[...]
        Terminal.line(names.removeFirst())
        for group in ServerConfiguration.groups {
            Terminal.line("\n" + group.title)
            for setting in group.settings {
                Terminal.line(names.removeFirst())
                let words =
                    setting.explanation.split(separator: " ").map(String.init) + [
                        "(in the file: \(setting.exampleMember))"
                    ]
                for line in FilledLines.of(words, columns: 100) { Terminal.line("      " + line) }
            }
        }
    }
}
