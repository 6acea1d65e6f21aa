import ArgumentParser
import Client
import Console
import JSON

/// `watchwise push test`
struct PushTest: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Push a text to every device of a user, and show what each push service says.",
        discussion: """
            The text goes out at once, whatever the user's preferences are and whether somebody looks at a device. It is not \
            stored in the inbox, and it is not sent again. A device that its push service does not know any more is removed, as \
            by every push. The command ends with code 1 when no push service took the text.

            EXAMPLES
              watchwise push test alice 'Does this arrive?'
              watchwise push test alice 'Does this ring at night?' --title Test --level time-sensitive
              watchwise push test alice Hello --json
            """)

    @Argument(help: .value("user", "The user."))
    var user: String
    @Argument(help: .value("text", "The title of the push; with --title, its body."))
    var text: String
    @Option(help: .value("text", "The title, before the text."))
    var title: String?
    @Option(help: "active, time-sensitive or critical.")
    var level = "active"
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        var body: JSONValue = ["user": .string(user), "title": .string(title ?? text), "level": .string(level)]
        if title != nil { body["body"] = .string(text) }
        let client = try server.connect()
        let answer = try client.ask(client.request("POST", "push/test").with(body: body))
        let devices = answer["devices"]?.arrayValue ?? []
        if server.json { Terminal.line(answer.text) }
        guard !devices.isEmpty else { throw CommandFailure(.failed, "\(user) has no device that is pushed") }
        if !server.json {
            Table(
                of: devices,
                [
                    .left("DEVICE"), .left("PLATFORM"), .left("STATE"), .left("ANSWER", cutTo: 80),
                    .right("MS", "milliseconds"),
                ]
            ).show()
        }
        guard devices.contains(where: { $0["state"] == "sent" }) else {
            throw CommandFailure(.failed, "no push service took the text")
        }
    }
}
