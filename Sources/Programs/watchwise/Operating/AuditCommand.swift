import ArgumentParser
import Client
import Console
import JSON

/// `watchwise audit`
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "What administrators did: who, when, from where, and how it ended.",
        discussion: """
            Each request that changes something has one row, also one that was refused; so have backups and reads of chats. \
            OUTCOME is ok, repeated (its key says that it was done before), or the code of the refusal.

            EXAMPLES
              watchwise audit
              watchwise audit --actor shop --action broadcast.send --limit 500 --json
              watchwise audit --target users/mallory
              watchwise audit --follow
            """
    )

    @Option(help: .value("name", "Only requests of this subject of a token."))
    var actor: String?
    @Option(help: .value("name", "Only this action, such as user.kick or document.put."))
    var action: String?
    @Option(help: .value("path", "Only requests about this, such as users/mallory or documents/products/7."))
    var target: String?
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @Flag(help: "Go on with new rows, oldest first, until Ctrl-C.")
    var follow = false
    @OptionGroup(title: "The server") var server: ServerOptions

    private var query: [(String, String)] {
        [("actor", actor), ("action", action), ("target", target)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    func run() throws {
        let client = try server.connect()
        let rows = try client.pages(of: "audit", "audit", query: query, limit: limit)
        guard follow else {
            return rows.show(asJSON: server.json, none: "The audit has no such rows.", Self.columns)
        }
        var newest = rows.entries.first?["id"]?.integerValue ?? 0
        var isRead = show(rows.entries)
        while try isRead && !Pause.isInterrupted(withinMilliseconds: 1000) {
            let fresh = try rowsAfter(newest, client)
            newest = fresh.first?["id"]?.integerValue ?? newest
            isRead = show(fresh)
        }
    }

    /// The rows after a number, newest first.
    private func rowsAfter(_ number: Int64, _ client: AdminClient) throws -> [JSONValue] {
        var found: [JSONValue] = []
        var before: String?
        while true {
            let page = try client.ask(
                "GET", "audit", query: query + [("limit", "200")] + (before.map { [("before", $0)] } ?? []))
            let rows = page["audit"]?.arrayValue ?? []
            let fresh = rows.prefix { ($0["id"]?.integerValue ?? 0) > number }
            found += fresh
            guard fresh.count == rows.count, let next = page["next"]?.stringValue, Int64(next) ?? 0 > number else {
                return found
            }
            before = next
        }
    }

    /// Prints rows that come one after the other, oldest first.
    ///
    /// - Returns: whether the reader of the output is still there.
    private func show(_ newestFirst: [JSONValue]) -> Bool {
        newestFirst.reversed().allSatisfy { row in
            Terminal.nextLine(server.json ? row.text : Self.columns.map { $0.cell(row) }.joined(separator: "  "))
        }
    }

    private static var columns: [Table.Column] {
        [
            .right("ID"), .left("AT"), .left("ACTOR"), .left("KIND"), .left("ADDRESS"), .left("ACTION"),
            .left("TARGET"),
            .left("OUTCOME"), .left("DETAIL", cutTo: 72),
        ]
    }
}
