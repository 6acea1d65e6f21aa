import ArgumentParser
import Client
import Console
import Foundation
import JSON

/// `watchwise user erase`
struct UserEraseCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a person: everything that is kept about one.",
        discussion: """
            At once the sessions end with 4403, and the name is refused; the rest is done in slices beside the work for others. \
            It cannot be undone, and no backup brings the person back: 'restore' erases again. The certificate says how many \
            rows of each kind went.

            --messages redact: number, place and time of messages stay, and everything else goes. keep: the messages stay, \
            under a pseudonym. remove: as redact, and a chat of two in which nothing is left goes.

            The command asks first; where it cannot, it erases nothing and exits with 3, unless --yes is given.

            EXAMPLES
              watchwise user erase alice --messages redact --dry-run     how many rows would go
              watchwise user erase alice --messages redact --reason "asked by mail" --wait
              watchwise user erase alice --messages remove --documents 'reviews/*' --yes --wait --json > certificate.json
            """)

    @Argument(help: .value("user", "The user."))
    var user: String
    @Option(help: .value("word", "What becomes of messages: redact, keep or remove. (default: redact)"))
    var messages: String?
    @Option(help: .value("pattern", "Documents elsewhere that go as well, with * for one part; may be repeated."))
    var documents: [String] = []
    @Option(help: .value("text", "The reason, which the audit keeps."))
    var reason: String?
    @Flag(help: "Count the rows, and change nothing.")
    var dryRun = false
    @Flag(help: "Erase without asking.")
    var yes = false
    @Flag(help: "Wait until all is done, and print the certificate.")
    var wait = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let (client, path) = (try server.connect(), "users/\(try user.userSegment())")
        var body: JSONValue = [:]
        body["messages"] = messages.map { .string($0) }
        body["reason"] = reason.map { .string($0) }
        if !documents.isEmpty { body["documents"] = .array(documents.map { .string($0) }) }
        if dryRun { body["dryRun"] = true } else { try confirm() }
        let answer = try client.ask(client.request("DELETE", path).with(body: body))
        guard wait, !dryRun, let erasure = answer["erasure"]?.stringValue else { return answer }
        while true {
            let certificate = try client.ask("GET", "erasures/\(erasure)")
            if certificate["state"] == "done" { return certificate }
            if let step = certificate["step"]?.integerValue, let steps = certificate["steps"]?.integerValue {
                Terminal.progress("step \(step) of \(steps)")
            }
            guard try !Pause.isInterrupted(withinMilliseconds: 250) else {
                throw CommandFailure(.failed, "the erasure \(erasure) goes on; see: watchwise user erasure \(erasure)")
            }
        }
    }

    /// Asks for confirmation, since no backup brings the person back.
    private func confirm() throws {
        guard !yes else { return }
        let finding = "everything that is kept about \(user) goes, for good"
        guard Terminal.canAsk else {
            throw CommandFailure(.nothingDone, finding + "; nothing was erased. Repeat it with --yes to erase it")
        }
        guard Terminal.confirms(finding.prefix(1).uppercased() + finding.dropFirst() + ". Erase it?") else {
            throw CommandFailure(.failed, "nothing was erased")
        }
    }

    func show(_ answer: JSONValue) {
        if wait { Terminal.progress("") }
        if answer["rows"] == nil {
            let (name, pseudonym) = (answer["erasure"]?.stringValue ?? "", answer["pseudonym"]?.stringValue ?? "")
            return Terminal.line(
                "erasing \(user) as \(name); the pseudonym is \(pseudonym); see: watchwise user erasure \(name)")
        }
        Certificate(answer).show()
    }
}

/// `watchwise user erasure`
struct UserErasureCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasure", abstract: "How far an erasure is, and its certificate.",
        discussion: """
            EXAMPLES
              watchwise user erasure x7
            """)

    @Argument(help: .value("erasure", "Its name, such as x7."))
    var erasure: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        guard erasure.first == "x", Int64(erasure.dropFirst()) != nil else {
            throw CommandFailure(.misused, "ERASURE must be a name such as x7, not '\(erasure)'")
        }
        return try server.connect().ask("GET", "erasures/\(erasure)")
    }

    func show(_ answer: JSONValue) { Certificate(answer).show() }
}

/// `watchwise user invite`
struct UserInvite: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Let the name of an erased person in again, as somebody new.",
        discussion: """
            Tokens from before the erasure stay refused. A name that was never known is known from then on.

            EXAMPLES
              watchwise user invite alice
            """)

    @Argument(help: .value("user", "The user."))
    var user: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        try server.connect().change("PUT", "users/\(try user.userSegment())", [:])
    }

    func show(_ answer: JSONValue) {
        Terminal.line(answer["isNew"] == true ? "\(user) may come in, as somebody new" : "\(user) is known already")
    }
}

/// The rows that an erasure took, for people.
private struct Certificate {
    private let answer: JSONValue

    init(_ answer: JSONValue) { self.answer = answer }

    func show() {
        if let erasure = answer["erasure"]?.stringValue {
            let end = answer["finished"]?.stringValue.map { "done at \($0)" } ?? "at work"
            Terminal.line("\(erasure): \(end), under the pseudonym \(answer["pseudonym"]?.stringValue ?? "")")
        }
        if let day = answer["journalForgets"]?.stringValue { Terminal.line("the journal has no trace from \(day) on") }
        if let day = answer["copiesForget"]?.stringValue {
            Terminal.line("the server's own copies have none from \(day) on")
        }
        let rows = answer["rows"]?.objectValue?.members ?? []
        Table(
            of: rows.map { ["kind": .string($0.name), "rows": $0.value] }, [.left("KIND"), .right("ROWS")]
        ).show()
        for path in (answer["kept"]?.arrayValue ?? []).compactMap(\.stringValue) {
            Terminal.line("stays, written by the person: \(path)")
        }
    }
}
