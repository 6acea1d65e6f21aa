import ArgumentParser
import Client
import JSON
import Model

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
    @Option(help: ArgumentHelp("The largest number to show.", valueName: "n"))
    var limit = 50
    @Option(help: ArgumentHelp("Only changes before this position.", valueName: "seq"))
    var before: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        guard limit > 0 else { throw CommandFailure(.misused, "--limit must be 1 or more") }
        let address = try Triggers.address(name) + "/runs"
        let client = try server.connect()
        var found: [JSONValue] = []
        var next = before
        repeat {
            let count = String(min(limit - found.count, Limits.pageMax))
            let request =
                if let next {
                    client.request("GET", address, query: ["limit": count, "before": next])
                } else {
                    client.request("GET", address, query: ["limit": count])
                }
            let page = try client.ask(request)
            found += page["runs"]?.arrayValue ?? []
            next = page["next"]?.stringValue
        } while next != nil && found.count < limit
        show(found, next: next)
    }

    private func show(_ runs: [JSONValue], next: String?) {
        if server.json {
            var answer: JSONValue = ["trigger": .string(name), "runs": .array(runs)]
            answer["next"] = next.map { .string($0) }
            return Terminal.line(answer.text)
        }
        if runs.isEmpty { return Terminal.plainError("\(name) has not done anything yet.") }
        var table = Table(("SEQ", .right), ("AT", .left), ("PATH", .left), ("DID", .left))
        for run in runs {
            table.add(
                run["seq"]?.text ?? "", run["at"]?.stringValue ?? "", run["path"]?.stringValue ?? "", Self.effect(run))
        }
        table.show()
        if let next { Terminal.line("more: watchwise trigger runs \(name) --before \(next)") }
    }

    private static func effect(_ run: JSONValue) -> String {
        switch run["effect"]?.stringValue {
        case "scheduled": return "scheduled for \(run["due"]?.stringValue ?? "")"
        case "failed": return "failed: \(run["reason"]?.stringValue ?? "")"
        default:
            let count = (run["notifications"]?.integerValue ?? 0).counted("notification", "notifications")
            let removed = run["removed"]?.integerValue ?? 0
            let first = run["first"]?.stringValue ?? ""
            return "\(count), \(first)" + (removed > 0 ? ", \(removed.grouped) removed since" : "")
        }
    }
}
