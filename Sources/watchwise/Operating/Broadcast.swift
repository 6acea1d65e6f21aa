import ArgumentParser
import Client
import JSON
import Model
import Server

/// `watchwise broadcast`
struct Broadcast: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send a notification to everyone, to a topic's followers, or to one person.",
        discussion: """
            TITLE and --body are for whoever has no language of their own among the others; --title LANGUAGE=TEXT and \
            --body LANGUAGE=TEXT add languages. Who is connected gets it at once, the others when they next connect. --data takes two things: \
            an object (or @FILE) for the application, which goes with the notification, and the server's folder.

            EXAMPLES
              watchwise broadcast --audience everyone Hello --title it=Ciao
              watchwise broadcast --audience person:525 'A new film' --dry-run
              watchwise broadcast --audience user:alice Hello --data '{"url": "/"}'
              watchwise broadcast --audience everyone Hello --expires 24h --yes
            """
    )

    @Option(help: ArgumentHelp("everyone, user:ID, or a topic, such as person:525.", valueName: "audience"))
    var audience: String
    @Argument(help: "The title.")
    var title: String
    @Option(
        name: .customLong("title"),
        help: ArgumentHelp("The title in a language; may be repeated.", valueName: "lang=text"))
    var titles: [String] = []
    @Option(
        name: .customLong("body"), help: ArgumentHelp("The text, or lang=text; may be repeated.", valueName: "text"))
    var bodies: [String] = []
    @Option(help: "passive, active, time-sensitive or critical.")
    var level = "active"
    @Option(help: ArgumentHelp("Takes the place of an earlier one with the same text.", valueName: "text"))
    var collapse: String?
    @Option(
        help: ArgumentHelp("After this it is gone: 24h, or a time such as 2026-12-31T23:00:00Z.", valueName: "when"))
    var expires: String?
    @Flag(help: "Only say how many people it would reach.")
    var dryRun = false
    @Flag(help: "Do not ask before more than \(Int64(Broadcast.askAbove).grouped) people.")
    var yes = false
    @OptionGroup(title: "The server") var server: ServerOptions

    private static let askAbove = 1000

    func run() throws {
        let body = try body()
        let client = try server.connect()
        var preview = body
        preview["dryRun"] = true
        let size = try client.ask(client.request("POST", "broadcasts").with(body: preview))["size"]?.integerValue ?? 0
        if dryRun {
            let answer: JSONValue = ["audience": .string(audience), "size": .integer(size), "dryRun": true]
            return Terminal.line(server.json ? answer.text : "\(audience): \(Self.people(size)). Nothing was sent.")
        }
        try ask(size)
        let sent = try client.ask(
            client.request("POST", "broadcasts").with(body: body).with(key: AdminClient.newKey()))
        let id = sent["id"]?.stringValue ?? ""
        if !server.json { Terminal.line("broadcast \(id) to \(audience): \(Self.people(size))") }
        try follow(id, size: size, with: client)
    }

    private static func people(_ count: Int64) -> String { count.counted("person", "people") }

    /// Asks before many are reached.
    private func ask(_ size: Int64) throws {
        guard size > Self.askAbove, !yes else { return }
        guard Terminal.canAsk else {
            throw CommandFailure(
                .misused, "this reaches \(Self.people(size)); nothing was sent. Repeat it with --yes to send it")
        }
        guard Terminal.confirms("This reaches \(Self.people(size)). Send it?") else {
            throw CommandFailure(.failed, "nothing was sent")
        }
    }

    /// Shows the deliveries until they stop growing: for a second and a half, or half a minute at most.
    private func follow(_ id: String, size: Int64, with client: AdminClient) throws {
        var state: JSONValue = .null
        var delivered: Int64 = -1
        var quiet: Int64 = 0
        var waited: Int64 = 0
        var isInterrupted = false
        while quiet < 1500, waited < 30_000, !isInterrupted {
            state = try client.ask(client.request("GET", "broadcasts/" + id))
            let now = state["delivered"]?.integerValue ?? 0
            quiet = now == delivered ? quiet + 150 : 0
            delivered = now
            Terminal.progress("  delivered live: \(delivered.grouped)")
            isInterrupted = try Pause.isInterrupted(withinMilliseconds: 150)
            waited += 150
        }
        Terminal.progress("")
        if server.json { return Terminal.line(state.text) }
        let devices = max(0, delivered).counted("device", "devices")
        Terminal.line("delivered live to \(devices); who was not connected finds it when next connecting")
        Terminal.line("to take it back: DELETE /v1/broadcasts/\(id)")
    }
}

// MARK: - The request

extension Broadcast {
    private func body() throws -> JSONValue {
        var body: JSONValue = ["audience": .string(audience)]
        body["title"] = try texts([title], more: titles, option: "--title")
        let plain = bodies.filter { Self.language(of: $0) == nil }
        if !bodies.isEmpty {
            let more = bodies.filter { Self.language(of: $0) != nil }
            guard plain.count <= 1 else {
                throw CommandFailure(.misused, "--body is given twice without a language; write --body it=TEXT")
            }
            body["body"] = try texts(plain, more: more, option: "--body")
        }
        guard let level = InterruptionLevel(rawValue: level) else {
            let known = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.misused, "--level must be one of \(known), not '\(level)'")
        }
        body["level"] = .string(level.rawValue)
        if let data = server.attached { body["data"] = try JSONArgument.object(data, name: "--data") }
        body["collapse"] = collapse.map { .string($0) }
        body["expires"] = try expires.map { .string(try Self.time($0).text) }
        return body
    }

    /// A text alone, or texts by language, the one without a language under `en`, which the server falls back to.
    private func texts(_ plain: [String], more: [String], option: String) throws -> JSONValue {
        guard !more.isEmpty else { return .string(plain.first ?? "") }
        var object: JSONValue = [:]
        if let text = plain.first { object["en"] = .string(text) }
        for argument in more {
            guard let (language, text) = Self.language(of: argument) else {
                throw CommandFailure(.misused, "\(option) must be LANGUAGE=TEXT, such as it=Ciao, not '\(argument)'")
            }
            object[language] = .string(text)
        }
        return object
    }

    private static func language(of argument: String) -> (language: String, text: String)? {
        guard let sign = argument.firstIndex(of: "="), let tag = LanguageTag(String(argument[..<sign])) else {
            return nil
        }
        return (tag.text, String(argument[argument.index(after: sign)...]))
    }

    private static func time(_ text: String) throws -> Timestamp {
        if let span = TimeSpan(text) { return Surroundings.now.adding(milliseconds: span.milliseconds) }
        guard let time = Timestamp(text) else {
            throw CommandFailure(
                .misused, "--expires must be a time such as 2026-12-31T23:00:00Z, or \(TimeSpan.form), not '\(text)'")
        }
        return time
    }
}
