import ArgumentParser
import Console
import JSON

/// `watchwise user export`
struct UserExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print everything that is kept about a user, as lines of JSON.",
        discussion: """
            The first line has the kind 'header', the last one the kind 'end' with the number of lines: a file without it is \
            not complete, and then the command fails. In it is what the user wrote, what the user could read, and what is \
            kept about the user; not in it are the names of those who reported or blocked the user, and notes of moderators.

            EXAMPLES
              watchwise user export alice > alice.jsonl
              watchwise user export alice --others omit > alice.jsonl    without the texts of others
            """)

    @Argument(help: .value("user", "The user."))
    var user: String
    @Option(help: .value("omit", "'omit' leaves out the texts that others wrote."))
    var others: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let (client, path) = (try server.connect(), "users/\(try user.userSegment())/export")
        guard others == nil || others == "omit" else {
            throw CommandFailure(.misused, "--others must be omit, or be left out")
        }
        var lines = ExportedLines()
        try client.download(client.request("GET", path, query: others.map { [("others", $0)] } ?? [])) { bytes in
            lines.take(bytes)
            if Terminal.lost == nil, lines.isExport { Terminal.bytes(bytes) }
        }
        if let lost = Terminal.lost { throw CommandFailure(.failed, "the export is not complete: \(lost)") }
        guard lines.isWhole else {
            throw CommandFailure(.failed, "the export is not complete: its last line is missing")
        }
    }
}

/// Counts the lines of an export as they come, and keeps its last one.
private struct ExportedLines {
    private var count: Int64 = 0
    private var last: [UInt8] = []
    private var start: [UInt8] = []
    private var isAfterLine = true

    /// Whether it begins like an export; a refusal does not.
    var isExport: Bool { start.starts(with: Array(#"{"kind":"header""#.utf8)) }

    /// Whether the last line says that it is the last, and how many there are.
    var isWhole: Bool {
        guard isAfterLine, let end = try? JSONValue(parsing: last) else { return false }
        return end["kind"]?.stringValue == "end" && end["lines"]?.integerValue == count
    }

    mutating func take(_ bytes: [UInt8]) {
        if start.count < 16 { start += bytes.prefix(16 - start.count) }
        for byte in bytes {
            if isAfterLine { last.removeAll(keepingCapacity: true) }
            isAfterLine = byte == UInt8(ascii: "\n")
            if isAfterLine { count += 1 } else { last.append(byte) }
        }
    }
}
