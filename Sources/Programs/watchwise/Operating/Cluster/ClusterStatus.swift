import ArgumentParser
import Configuration
import Console
import JSON
import Server

/// `watchwise cluster status`
struct ClusterStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "The nodes, how far each is, and the journal.",
        discussion: """
            One node is asked; it tells what it hears of the others. The journal's servers are asked where --journal-monitor \
            is given. The exit status is 1 when no node leads, or the journal cannot be used.

            EXAMPLES
              watchwise cluster status
              watchwise cluster status --watch
              watchwise cluster status --server http://10.0.0.2:8080 --config /etc/watchwise.json
              watchwise cluster status --json
            """)

    @Flag(help: "Repeat every second, until Ctrl-C.")
    var watch = false
    @OptionGroup var sources: JournalSources
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let configuration = try sources.configuration()
        var problem: String?
        var isRead: Bool
        repeat {
            let answer = try client.ask("GET", "cluster")
            let servers = try Self.servers(configuration)
            problem = Self.problem(in: answer)
            isRead = Terminal.nextLine(server.json ? Self.json(answer, servers).text : Self.page(answer, servers))
        } while try watch && isRead && !Pause.isInterrupted(withinMilliseconds: 1000)
        if let problem { throw CommandFailure(.failed, problem) }
    }

    private static func servers(_ configuration: ServerConfiguration) throws -> [JournalSurvey.Server] {
        guard configuration.cluster.isMember, !configuration.cluster.monitors.isEmpty else { return [] }
        do {
            return try JournalSurvey(of: configuration, withStream: false).servers
        } catch {
            throw CommandFailure(.misused, error.description)
        }
    }

    /// Why writes wait; nil when they do not.
    static func problem(in answer: JSONValue) -> String? {
        if let problem = answer["journal"]?["problem"]?.stringValue { return "the journal cannot be used: \(problem)" }
        return answer["leader"]?.stringValue == nil ? "no node leads: writes wait" : nil
    }

    static func json(_ answer: JSONValue, _ servers: [JournalSurvey.Server]) -> JSONValue {
        guard case .object(var object) = answer else { return answer }
        object["servers"] = .array(servers.map(\.json))
        return .object(object)
    }

    static func page(_ answer: JSONValue, _ servers: [JournalSurvey.Server]) -> String {
        let nodes = Table(
            of: answer["nodes"]?.arrayValue ?? [],
            [
                .left("NODE"), .left("ROLE"), .right("TERM"), count("APPLIED", "applied"), count("MISSING", "missing"),
                .right("SCHEMA"), count("SESSIONS", "sessions"),
                .right("HEARD") { "\($0["heardMilliseconds"]?.text ?? "?") ms" }, .left("PROGRAM"), .left("ADDRESS"),
            ])
        let journal = answer["journal"] ?? .null
        let number = { (name: String) in (journal[name]?.integerValue ?? 0).grouped }
        let problem = journal["problem"]?.stringValue.map { ", \($0)" } ?? ""
        let head =
            "journal \(journal.shown("stream")): entries \(number("first")) to \(number("last")), \(number("bytes")) bytes, "
            + "led by \(journal["leader"]?.stringValue ?? "no server"), asked through "
            + "\(journal["server"]?.stringValue ?? "no server")\(problem)"
        let wrong = (journal["problems"]?.arrayValue ?? []).compactMap(\.stringValue).map {
            "  not as it must be: \($0)"
        }
        let lines = nodes.lines + ["", head] + wrong
        guard !servers.isEmpty else { return lines.joined(separator: "\n") }
        let table = Table(
            of: servers.map(\.json),
            [
                .left("SERVER") { $0["name"]?.stringValue ?? $0.shown("url") }, .left("VERSION"), .left("SYNC"),
                count("PAYLOAD", "payload"), count("LAST", "last"),
                .left("PROBLEMS") { server in
                    (server["problems"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: "; ")
                },
            ])
        return (lines + table.lines).joined(separator: "\n")
    }

    private static func count(_ head: String, _ member: String) -> Table.Column {
        .right(head) { $0[member]?.integerValue.map(\.grouped) ?? "" }
    }
}

extension JournalSurvey.Server {
    /// For programs.
    var json: JSONValue {
        [
            "url": .string(url), "name": name.map { .string($0) } ?? .null, "version": .string(version),
            "sync": .string(sync), "payload": .integer(Int64(payloadBytesMax)),
            "last": last.map { .integer(Int64(clamping: $0)) } ?? .null,
            "problems": .array(problems.map { .string($0) }),
        ]
    }
}
