import ArgumentParser
import Client
import JSON
import Model

/// What the commands that write a document share.
struct WriteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only when the document is at this version; 0: when there is none.", valueName: "n"))
    var ifVersion: Int64?

    @Option(
        help: ArgumentHelp("A name of this write; repeating it with the same one changes nothing.", valueName: "key"))
    var key: String?

    /// The request with what the options add.
    func apply(to request: AdminRequest) throws -> AdminRequest {
        if let ifVersion, ifVersion < 0 { throw CommandFailure(.misused, "--if-version must be 0 or more") }
        if let key, WriteKey(key) == nil { throw CommandFailure(.misused, "--key must be \(WriteKey.form)") }
        return request.with(ifVersion: ifVersion).with(key: key ?? AdminClient.newKey())
    }
}

/// Documents on the command line.
enum Documents {
    /// Where a document is in the API.
    /// - Throws: `CommandFailure` when the path cannot be a document's.
    static func address(_ path: String) throws -> String {
        do {
            return "documents/" + (try DocumentPath(path)).text
        } catch {
            throw CommandFailure(.misused, "PATH: \(error.message)")
        }
    }

    /// Writes a document with a body and shows what came of it.
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

    /// All that a trigger did, in a line: `scheduled 2026-12-18T00:00:00.000Z, in place of 2026-12-01T00:00:00.000Z`.
    private static func outcome(_ report: JSONValue) -> String {
        let members = report.objectValue?.members ?? []
        let parts = members.filter { $0.name != "trigger" }.map { member in
            let text = member.value.stringValue ?? member.value.text
            return switch member.name {
            case "notifications": (member.value.integerValue ?? 0).counted("notification", "notifications")
            case "withdrawn": (member.value.integerValue ?? 0).counted("notification", "notifications") + " taken away"
            case "moved": "in place of \(text)"
            case "dropped": "what was scheduled for \(text) is dropped"
            default: "\(member.name) \(text)"
            }
        }
        return parts.isEmpty ? "ran" : parts.joined(separator: ", ")
    }
}

/// `watchwise get`
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show a document.",
        discussion: """
            EXAMPLES
              watchwise get people/525
              watchwise get recommendations/anna:marco-3 --json
            """
    )

    @Argument(help: "The document's path, such as people/525/credits/movie/603.")
    var path: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let address = try Documents.address(path)
        let client = try server.connect()
        let answer = try client.ask(client.request("GET", address))
        if server.json { return Terminal.line(answer.text) }
        let version = answer["version"]?.integerValue ?? 0
        Terminal.line("\(path): version \(version), seq \(answer["seq"]?.integerValue ?? 0)")
        Terminal.line((answer["data"] ?? .null).pretty)
    }
}

/// `watchwise put`
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Write a document, over the old one if there is one.",
        discussion: """
            Says what the triggers did that the write fired: whom they told, what they took away, what they scheduled, \
            moved or dropped. The same content again changes nothing and fires nothing. A follow is a document, too; \
            the answer says of which topic.

            EXAMPLES
              watchwise put people/525 '{"name": "Christopher Nolan"}'
              watchwise put people/525/credits/movie/872585 @oppenheimer.json
              watchwise put branches/mitte/followers/ayse '{}'
              echo '{"text": "Hello"}' | watchwise put announcements/1 - --if-version 0
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @Argument(
        help: ArgumentHelp("A JSON object; @FILE reads it from a file, - from standard input.", valueName: "json"))
    var content: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try Documents.write("PUT", path, content, options, on: server, as: "written")
    }
}

/// `watchwise patch`
struct PatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Change members of a document (RFC 7396: null takes one away).",
        discussion: """
            EXAMPLES
              watchwise patch people/525 '{"born": 1970}'
              watchwise patch people/525 '{"born": null}' --if-version 2
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @Argument(
        help: ArgumentHelp("A JSON object; @FILE reads it from a file, - from standard input.", valueName: "json"))
    var content: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try Documents.write("PATCH", path, content, options, on: server, as: "changed")
    }
}

/// `watchwise delete`
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a document.",
        discussion: """
            EXAMPLES
              watchwise delete announcements/1
              watchwise delete people/525 --if-version 3
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let address = try Documents.address(path)
        let client = try server.connect()
        let request = try options.apply(to: client.request("DELETE", address))
        Documents.showWritten(try client.ask(request), as: "deleted", isJSON: server.json)
    }
}
