import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise broadcast`
struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Send a notification to many, now or at a time; look at those sent, or take one back.",
        discussion: """
            EXAMPLES
              watchwise broadcast --audience everyone Hello --title it=Ciao
              watchwise broadcast --audience person:525 'A new film' --dry-run
              watchwise broadcast --audience everyone 'Tonight at eight' --at 2026-12-24T18:00
              watchwise broadcast list
              watchwise broadcast cancel 7
              watchwise help broadcast send                    all options
            """,
        subcommands: [Broadcast.self, BroadcastList.self, BroadcastShow.self, BroadcastCancel.self],
        defaultSubcommand: Broadcast.self
    )
}

/// `watchwise broadcast send`, also without the word `send`
struct Broadcast: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a notification to everyone, to those online, to a topic's followers, or to one person.",
        discussion: """
            TITLE and --body are for readers whose language is not given; --title LANGUAGE=TEXT and \
            --body LANGUAGE=TEXT add languages. Connected people get it at once, the others when they next connect; with \
            --audience online the others never do. --data takes either an object (or @FILE) for the application, sent with \
            the notification, or the server's folder.

            With --at, it waits for its time: with Z or an offset it is one moment for all, without one each person gets it \
            when their own clock shows it. Whom it reaches is decided then.

            When the audience is nobody, the command asks; where it cannot, it sends nothing and exits with 3.

            EXAMPLES
              watchwise broadcast --audience everyone Hello --title it=Ciao
              watchwise broadcast --audience person:525 'A new film' --dry-run
              watchwise broadcast --audience user:alice Hello --data '{"url": "/"}'
              watchwise broadcast --audience everyone Hello --expires 24h --yes
              watchwise broadcast --audience online 'Back in five minutes' --expires 10m
              watchwise broadcast --audience everyone 'Good morning' --at 2026-12-25T08:00
            """
    )

    @Option(help: .value("audience", "everyone, online, user:ID, or a topic, such as person:525."))
    var audience: String
    @Argument(help: "The title; --title works, too.")
    var title: String?
    @Option(name: .customLong("title"), help: .value("text", "The title, or lang=text; may be repeated."))
    var titles: [String] = []
    @Option(name: .customLong("body"), help: .value("text", "The text, or lang=text; may be repeated."))
    var bodies: [String] = []
    @Option(help: "passive, active, time-sensitive or critical.")
    var level = "active"
    @Option(help: .value("text", "Replaces an earlier notification with the same text here."))
    var collapse: String?
    @Option(help: .value("when", "When it expires: 24h, or a time such as 2026-12-31T23:00:00Z."))
    var expires: String?
    @Option(
        help: .value("when", "When it is sent: 2h, 2026-12-31T23:00:00Z, or without the Z for each person's clock."))
    var at: String?
    @Flag(help: "Only say how many people it would reach.")
    var dryRun = false
    @Flag(help: "Send without asking, also to more than \(Int64(Broadcast.askAbove).grouped) people or to nobody.")
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
            Terminal.line(server.json ? answer.text : "\(audience): \(Self.people(size)). Nothing was sent.")
            if size == 0 { throw CommandFailure(.nothingDone, Self.nobody(audience)) }
            return
        }
        try ask(size)
        let sent = try client.change("POST", "broadcasts", body)
        let id = sent["id"]?.stringValue ?? ""
        if let time = sent["at"]?.stringValue {
            if server.json { return Terminal.line(sent.text) }
            let clock = time.hasSuffix("Z") ? "" : " of each clock"
            Terminal.line("broadcast \(id) to \(audience) waits until \(time)\(clock)")
            return Terminal.line("to cancel it: watchwise broadcast cancel \(id)")
        }
        if !server.json { Terminal.line("broadcast \(id) to \(audience): \(Self.people(size))") }
        try follow(id, size: size, with: client)
    }

    private static func nobody(_ audience: String) -> String {
        switch audience {
        case "online": "nobody is online"
        case "everyone": "nobody is known yet"
        default: "nobody follows \(audience)"
        }
    }

    private static func people(_ count: Int64) -> String { count.counted("person", "people") }

    /// Asks for confirmation when the audience is large, and when it is empty: a topic is easily misspelt.
    private func ask(_ size: Int64) throws {
        guard size > Self.askAbove || size == 0, !yes else { return }
        let finding = size == 0 ? Self.nobody(audience) : "this reaches \(Self.people(size))"
        guard Terminal.canAsk else {
            throw CommandFailure(
                size == 0 ? .nothingDone : .misused, finding + "; nothing was sent. Repeat it with --yes to send it")
        }
        guard Terminal.confirms(finding.prefix(1).uppercased() + finding.dropFirst() + ". Send it?") else {
            throw CommandFailure(.failed, "nothing was sent")
        }
    }

    /// Shows the deliveries until they have not grown for a second and a half, at most half a minute.
    private func follow(_ id: String, size: Int64, with client: AdminClient) throws {
        var state: JSONValue = .null
        var delivered: Int64 = -1
        var quiet: Int64 = 0
        var waited: Int64 = 0
        var isInterrupted = false
        while quiet < 1500, waited < 30_000, !isInterrupted {
            state = try client.ask("GET", "broadcasts/" + id)
            let now = state["delivered"]?.integerValue ?? 0
            quiet = now == delivered ? quiet + 150 : 0
            delivered = now
            Terminal.progress("  delivered live to " + Self.share(delivered, of: size))
            isInterrupted = try Pause.isInterrupted(withinMilliseconds: 150)
            waited += 150
        }
        Terminal.progress("")
        if server.json { return Terminal.line(state.text) }
        let rest = audience == "online" ? "the others do not get it" : "the others find it when they next connect"
        Terminal.line("delivered live to \(Self.share(max(0, delivered), of: size)); \(rest)")
        Terminal.line("to take it back: watchwise broadcast cancel \(id)")
    }

    /// `312 devices, for 1,204 people (26 %)`; people may have several devices, so the share may exceed 100 %.
    private static func share(_ devices: Int64, of size: Int64) -> String {
        let percent = size > 0 ? " (\(devices * 100 / size) %)" : ""
        return devices.counted("device", "devices") + ", for " + people(size) + percent
    }
}

// MARK: - The request

extension Broadcast {
    private func body() throws -> JSONValue {
        var body: JSONValue = ["audience": .string(audience)]
        guard title != nil || !titles.isEmpty else {
            throw CommandFailure(.misused, "a title is required: watchwise broadcast --audience everyone TITLE")
        }
        body["title"] = try texts(titles, besides: title, option: "--title")
        if !bodies.isEmpty { body["body"] = try texts(bodies, besides: nil, option: "--body") }
        guard let level = InterruptionLevel(rawValue: level) else {
            let known = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.misused, "--level must be one of \(known), not '\(level)'")
        }
        body["level"] = .string(level.rawValue)
        if let data = server.attached { body["data"] = try JSONArgument.object(data, name: "--data") }
        body["collapse"] = collapse.map { .string($0) }
        body["expires"] = try expires.map { .string(try Self.time($0).text) }
        body["at"] = at.map { .string(Surroundings.time($0)) }
        return body
    }

    /// One text, or texts by language; a text without a language is stored under `en`, the server's fall-back.
    private func texts(_ arguments: [String], besides argument: String?, option: String) throws -> JSONValue {
        var plain = argument.map { [$0] } ?? []
        var object: JSONValue = [:]
        var hasLanguages = false
        for text in arguments {
            if let (language, text) = Self.language(of: text) {
                object[language] = .string(text)
                hasLanguages = true
            } else {
                plain.append(text)
            }
        }
        guard plain.count <= 1 else {
            throw CommandFailure(.misused, "\(option) is given twice without a language; write \(option) it=TEXT")
        }
        guard hasLanguages else { return .string(plain.first ?? "") }
        if let text = plain.first { object["en"] = .string(text) }
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
