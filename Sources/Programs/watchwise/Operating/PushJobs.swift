import ArgumentParser
import JSON

/// `watchwise push jobs`
struct PushJobs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Pushes that wait, are being sent or are over, newest first; or one of them.",
        discussion: """
            With a number it shows what became of the job for each device: sent, skipped with the reason in a word, or the \
            answer of the push service. A job of more than 10,000 devices keeps only those that wait or have failed.

            EXAMPLES
              watchwise push jobs
              watchwise push jobs --user alice --state ended
              watchwise push jobs 812
            """)

    @Argument(help: .value("id", "The number of a job, as the list shows it."))
    var id: Int64?
    @Option(help: .value("user", "Only those that concern this user's devices."))
    var user: String?
    @Option(help: .value("state", "waiting, begun or ended."))
    var state: String?
    @Option(help: .value("n", "The largest number to show: of jobs, or of the devices of one job."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        guard let id else { return try list() }
        guard user == nil, state == nil else {
            throw CommandFailure(.misused, "give ID, or --user and --state, not both")
        }
        let client = try server.connect()
        var job = try client.ask("GET", "push/jobs/\(id)", query: [("limit", "1")]).objectValue ?? JSONObject()
        job["tries"] = nil
        job["next"] = nil
        let tries = try client.pages(of: "push/jobs/\(id)", "tries", cursor: "after", limit: limit)
        if !server.json { Table(of: [.object(job)], Self.columns).show() }
        tries.show(
            asJSON: server.json, besides: job, none: "It has no results of devices.",
            .right("DEVICE", "id"), .left("USER"), .left("NAME", "device"), .left("PLATFORM"), .left("STATE"),
            .left("TIME", "at"), .right("TRIED", "attempts"), .left("NEXT"), .left("LAST ANSWER", "answer", cutTo: 60))
    }

    private func list() throws {
        let query = [("user", user), ("state", state)].compactMap { item in item.1.map { (item.0, $0) } }
        let jobs = try server.connect().pages(of: "push/jobs", "jobs", query: query, limit: limit)
        jobs.show(asJSON: server.json, none: "There are no push jobs.", Self.columns)
    }

    private static var columns: [Table.Column] {
        [
            .right("ID"), .left("STATE"), .left("KIND"), .left("LEVEL"), .left("FOR", audience), .left("TIME", "at"),
            .left("DUE"), .right("PUSHED"), .right("SKIPPED"), .right("FAILED"),
        ]
    }

    private static func audience(_ job: JSONValue) -> String {
        if let chat = job["chat"]?.stringValue { return "chat \(chat)" }
        return job["user"]?.stringValue ?? job["topic"]?.stringValue ?? ""
    }
}
