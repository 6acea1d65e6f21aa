import ArgumentParser
import Client
import Console
import JSON
import Model

/// The common options of commands that write a document.
struct WriteOptions: ParsableArguments {
    @Option(help: .value("n", "Only if the document has this version; 0: only if there is no document."))
    var ifVersion: Int64?

    @Option(help: .value("key", "A key for this write; repeating the write with the same key changes nothing."))
    var key: String?

    /// The request with the options applied.
    func apply(to request: AdminRequest) throws -> AdminRequest {
        if let ifVersion, ifVersion < 0 { throw CommandFailure(.misused, "--if-version must be 0 or more") }
        if let key, WriteKey(key) == nil { throw CommandFailure(.misused, "--key must be \(WriteKey.form)") }
        return request.with(ifVersion: ifVersion).with(key: key ?? AdminClient.newKey())
    }
}

/// Documents on the command line.
enum Documents {
    /// The path of a document in the API.
    /// - Throws: `CommandFailure` when the path is not valid.
    static func address(_ path: String) throws -> String {
        do {
            return "documents/" + (try DocumentPath(path)).text
        } catch {
            throw CommandFailure(.misused, "PATH: \(error.message)")
        }
    }

    /// Writes a document with a body and shows the answer.
    static func write(
        _ method: String, _ path: String, _ content: String, _ options: WriteOptions, on server: ServerOptions,
        as verb: String
    ) throws {
        let address = try address(path)
        let body = try JSONArgument.object(content, name: "JSON")
        let client = try server.connect()
        let request = try options.apply(to: client.request(method, address).with(body: body))
        showWritten(try client.ask(request), as: verb, isJSON: server.json)
    }

    /// Shows the answer to a write: the document's version, and what its triggers did.
    static func showWritten(_ answer: JSONValue, as verb: String, isJSON: Bool) {
        if isJSON { return Terminal.line(answer.text) }
        let path = answer["path"]?.stringValue ?? ""
        let version = answer["version"]?.integerValue ?? 0
        let position = answer["seq"]?.integerValue ?? 0
        let topic = answer["topic"]?.stringValue.map { ", a follow of \($0)" } ?? ""
        Terminal.line("\(path) \(verb): version \(version), seq \(position)\(topic)")
        for report in answer["triggers"]?.arrayValue ?? [] {
            let name = report["trigger"]?.stringValue ?? "?"
            Terminal.line("  trigger \(name): \(outcome(report))")
        }
        if let unmet = answer["unmet"]?.integerValue {
            Terminal.line("  and \(unmet) more whose condition is not true")
        }
        for warning in answer["warnings"]?.arrayValue ?? [] {
            Terminal.plainError("warning: \(warning.stringValue ?? "")")
        }
    }

    /// The outcome of a trigger in one line: `scheduled 2026-12-18T00:00:00.000Z, in place of
    /// 2026-12-01T00:00:00.000Z`.
    private static func outcome(_ report: JSONValue) -> String {
        let members = report.objectValue?.members ?? []
        let parts = members.filter { $0.name != "trigger" }.map { member in
            let text = member.value.stringValue ?? member.value.text
            return switch member.name {
            case "notifications": (member.value.integerValue ?? 0).counted("notification", "notifications")
            case "withdrawn": (member.value.integerValue ?? 0).counted("notification", "notifications") + " taken away"
            case "moved": "in place of \(text)"
            case "dropped": "the notification scheduled for \(text) is dropped"
            default: "\(member.name) \(text)"
            }
        }
        return parts.isEmpty ? "ran" : parts.joined(separator: ", ")
    }
}
