import ArgumentParser
import JSON
import Model

/// The words of a broadcast and its time, for `send` and `change`.
struct BroadcastOptions: ParsableArguments {
    @Option(name: .customLong("title"), help: .value("text", "The title, or lang=text; may be repeated."))
    var titles: [String] = []
    @Option(name: .customLong("body"), help: .value("text", "The text, or lang=text; may be repeated."))
    var bodies: [String] = []
    @Option(help: .value("word", "The kind, which readers mute or let pass, such as offers. (default: broadcast)"))
    var kind: String?
    @Option(
        name: .customLong("level"),
        help: .value("level", "passive, active, time-sensitive or critical. (default: active)"))
    var levelName: String?
    @Option(help: .value("text", "Replaces an earlier notification with the same text here."))
    var collapse: String?
    @Option(help: .value("object", "An object for the application, or @FILE; sent with the notification."))
    var attach: String?
    @Option(help: .value("when", "When it expires: 24h, or a time such as 2026-12-31T23:00:00Z."))
    var expires: String?
    @Option(
        help: .value("when", "When it is sent: 2h, 2026-12-31T23:00:00Z, or without the Z for each person's clock."))
    var at: String?

    var hasTitle: Bool { !titles.isEmpty }

    /// Nil where none is given.
    var level: InterruptionLevel? {
        get throws {
            guard let levelName else { return nil }
            guard let level = InterruptionLevel(rawValue: levelName) else {
                let known = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.misused, "--level must be one of \(known), not '\(levelName)'")
            }
            return level
        }
    }

    /// Adds the members that are given to a request.
    ///
    /// - Parameters:
    ///   - title: a title without an option.
    ///   - isKeyed: whether the command has a key of the operator.
    func add(to body: inout JSONValue, title: String?, isKeyed: Bool) throws {
        let title = try BroadcastTexts(titles, besides: title, option: "--title")
        let text = try BroadcastTexts(bodies, option: "--body")
        try text.check(against: title)
        if !title.isEmpty { body["title"] = title.json }
        if !text.isEmpty { body["body"] = text.json }
        body["level"] = try level.map { .string($0.rawValue) }
        body["kind"] = kind.map { .string($0) }
        if let attach { body["data"] = try JSONArgument.object(attach, name: "--attach") }
        body["collapse"] = collapse.map { .string($0) }
        body["expires"] = try expires.map { .string(try expiry($0, isKeyed: isKeyed).text) }
        if let at, isKeyed { try checkKey("--at", at) }
        body["at"] = at.map { .string(Surroundings.time($0)) }
    }

    private func expiry(_ text: String, isKeyed: Bool) throws -> Timestamp {
        if isKeyed { try checkKey("--expires", text) }
        if let span = TimeSpan(text) { return Surroundings.now.adding(milliseconds: span.milliseconds) }
        guard let time = Timestamp(text) else {
            throw CommandFailure(
                .misused, "--expires must be a time such as 2026-12-31T23:00:00Z, or \(TimeSpan.form), not '\(text)'")
        }
        return time
    }

    /// A span is another time at each run, and so another broadcast under the same key.
    private func checkKey(_ option: String, _ text: String) throws {
        guard TimeSpan(text) != nil else { return }
        throw CommandFailure(
            .misused,
            """
            \(option) \(text) is another time whenever the command runs, so --key would not find its first run. Give \
            \(option) a time such as 2026-12-31T23:00:00Z
            """)
    }
}
