import Foundation
import JSON
import TestSupport
import Testing

/// The table of settings on the command line: `watchwise settings`, and the options of `watchwise serve`.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct SettingsCommandTests {
    private let settings: [JSONValue]

    init() throws {
        let output = try ServerProcess.run(["settings", "--json"]).output
        settings = try JSONValue(parsing: Array(output.utf8)).arrayValue ?? []
    }

    @Test func `the help of serve shows every option of the table under the title of its group`() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
        #expect(settings.count > 30)
        for setting in settings {
            guard let option = setting["option"]?.stringValue else { continue }
            let usage = "\n  " + option + (setting["value"]?.stringValue.map { " <\($0)>" } ?? " ")
            let title = "\n\(setting["group"]?.stringValue?.uppercased() ?? ""):"
            let place = try #require(help.range(of: usage), "\(option) is not in the help")
            let group = try #require(help.range(of: title), "\(title) is not in the help")
            let others = help[group.upperBound..<place.lowerBound].split(separator: "\n")
            #expect(others.allSatisfy { $0.hasPrefix("  ") }, "\(option) stands under another title")
        }
    }

    @Test func `the help names defaults and repeatable settings, and shows a whole file`() throws {
        let words = try ServerProcess.run(["serve", "--help"]).output.split(whereSeparator: \.isWhitespace)
        let help = words.joined(separator: " ")
        #expect(help.contains("May be repeated. (default: 127.0.0.1:8080)"))
        #expect(help.contains("(default: 30d)"))
        #expect(help.contains(#""rules": {"stations/{station}": "public"}"#))
    }

    @Test(arguments: [
        (["--lisen", "x"], "Unknown option '--lisen'. Did you mean '--listen'?"),
        (["--listen"], "Missing value for '--listen <host:port>'"),
        (["--loops", "--debug-echo"], "Missing value for '--loops <n>'"),
        (["--debug-echo=yes"], "The option '--debug-echo' does not take any value, but 'yes' was specified."),
        (["extra"], "Unexpected argument 'extra'"),
        (["--rules", "{}"], "Unknown option '--rules'"),
        (["--loops=0"], "--loops must be a whole number from 1 to 64, not 0"),
        (["--loops", "1", "--loops", "many"], "not 'many'"),
        (["--listen", "127.0.0.1:0", "--listen", "nowhere"], "--listen must be HOST:PORT"),
        (["--origin", "nope"], "--origin must be SCHEME://HOST[:PORT]"),
    ])
    func `a wrong option is refused with its name`(_ arguments: [String], _ message: String) throws {
        let ended = try ServerProcess.run(["serve"] + arguments)
        #expect(ended.status == 2)
        #expect(ended.errors.contains(message), "\(ended.errors)")
    }

    @Test func `a shell can complete the options`() throws {
        let script = try ServerProcess.run(["--generate-completion-script", "fish"]).output
        for setting in settings {
            guard let option = setting["option"]?.stringValue else { continue }
            #expect(script.contains("-l '\(option.dropFirst(2))'"))
        }
    }

    @Test func `a person gets names, default, explanation and an example of each setting`() throws {
        let text = try ServerProcess.run(["settings"]).output
        for setting in settings {
            let names = ["option", "variable", "key"].compactMap { setting[$0]?.stringValue }
            let line = text.split(separator: "\n").first { $0.contains(" \(setting["variable"]?.stringValue ?? "") ") }
            #expect(names.allSatisfy { line?.contains($0) ?? false }, "\(names)")
        }
        #expect(text.contains(#"(in the file: "log-retention": "12h")"#))
        #expect(try ServerProcess.run(["settings", "--json", "--markdown"]).status == 2)
    }
}
