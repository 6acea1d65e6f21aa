import ArgumentParser
import Console
import JSON

/// `watchwise trigger runs`
struct TriggerRuns: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "What a trigger did, newest first.",
        discussion: """
            SEQ is the position of the change in the log: 'watchwise explain --path PATH --seq SEQ --user USER' says \
            why somebody got it or did not.

            EXAMPLES
              watchwise trigger runs director-release
              watchwise trigger runs director-release --limit 10 --before 4711
            """
    )

    @Argument(help: "The trigger's name.")
    var name: String
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @Option(help: .value("seq", "Only changes before this position."))
    var before: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let runs = try server.connect().pages(
            of: try AdminClient.address(of: "trigger", name) + "/runs", "runs", from: before, limit: limit)
        runs.show(
            asJSON: server.json, besides: ["trigger": .string(name)], none: "\(name) has not done anything yet.",
            more: { "There are more: watchwise trigger runs \(name) --before \($0)" },
            .right("SEQ"), .left("AT"), .left("PATH"), .left("DID", Self.effect))
    }

    private static func effect(_ run: JSONValue) -> String {
        switch run["effect"]?.stringValue {
        case "scheduled": return "scheduled for \(run.shown("due"))"
        case "failed": return "failed: \(run.shown("reason"))"
        default:
            let count = (run["notifications"]?.integerValue ?? 0).counted("notification", "notifications")
            let removed = run["removed"]?.integerValue ?? 0
            return "\(count), \(run.shown("first"))" + (removed > 0 ? ", \(removed.grouped) removed since" : "")
        }
    }
}
