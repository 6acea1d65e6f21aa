import Client
import Console
import Foundation
import JSON
import Model

/// The result of a dry run: whom a broadcast would reach, how they would get it, and each text as a phone shows it.
struct BroadcastOutlook {
    /// No line is longer, so that it can be read in any terminal.
    private static let columns = 80
    private static let languagesShown = 8

    let audience: String
    let kind: String
    let level: InterruptionLevel
    private let size: Int64
    private var reach: [String: Int64] = [:]
    private var readers: [Reading: Int64] = [:]
    private let unknown: JSONValue
    private var texts: [(language: String, title: String, body: String)] = []
    /// An earlier server counts people, and says nothing more.
    private var isComplete = false

    /// The language of readers, and that of the text that they get; empty for none chosen, and for the default text.
    private struct Reading: Hashable {
        let language: String
        let text: String
    }

    /// - Parameters:
    ///   - body: the request.
    ///   - isWhole: whether all slices of the audience are looked at; the number of people comes with the first.
    init(
        of body: JSONValue, audience: String, kind: String, _ level: InterruptionLevel, isWhole: Bool,
        _ client: AdminClient
    ) throws {
        self.audience = audience
        self.kind = kind
        self.level = level
        var ask = body
        ask["dryRun"] = true
        var looked: Int64 = 0
        var answer = try client.ask(client.request("POST", "broadcasts").with(body: ask))
        size = answer["size"]?.integerValue ?? 0
        unknown = answer
        add(answer)
        while isWhole, let next = answer["next"] {
            looked += Self.people(in: answer)
            Terminal.progress("  \(looked.grouped) people looked at")
            ask["after"] = next
            // Between two slices others have the reader for themselves.
            if try Pause.isInterrupted(withinMilliseconds: 5) { throw CommandFailure(.failed, "interrupted") }
            answer = try client.ask(client.request("POST", "broadcasts").with(body: ask))
            add(answer)
        }
        Terminal.progress("")
    }

    private static func people(in answer: JSONValue) -> Int64 {
        ["people", "keptOut"].reduce(0) { $0 + (answer["reach"]?[$1]?.integerValue ?? 0) }
    }

    private mutating func add(_ answer: JSONValue) {
        guard let counts = answer["reach"]?.objectValue else { return }
        isComplete = true
        for (name, count) in counts.members { reach[name, default: 0] += count.integerValue ?? 0 }
        for reading in answer["languages"]?.arrayValue ?? [] {
            let key = Reading(
                language: reading["language"]?.stringValue ?? "", text: reading["text"]?.stringValue ?? "")
            readers[key, default: 0] += reading["people"]?.integerValue ?? 0
        }
        guard texts.isEmpty else { return }
        texts = (answer["texts"]?.objectValue?.members ?? []).map { name, text in
            (name, text["title"]?.stringValue ?? "", text["body"]?.stringValue ?? "")
        }
    }

    /// The sentence about users of the request that the server does not know; nil when it knows all.
    static func unknownUsers(in answer: JSONValue) -> String? {
        guard let count = answer["unknownCount"]?.integerValue, count > 0 else { return nil }
        let some = (answer["unknown"]?.arrayValue ?? []).prefix(5).compactMap(\.stringValue)
        return count.counted("user is", "users are") + " not known to the server: " + some.joined(separator: ", ")
            + (count > Int64(some.count) ? ", …" : "")
    }

    // MARK: JSON

    var json: JSONValue {
        var json: JSONValue = ["audience": .string(audience), "size": .integer(size), "dryRun": true]
        guard isComplete else { return json }
        for name in ["unknown", "unknownCount"] { json[name] = unknown[name] }
        json["reach"] = .object(JSONObject(reach.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
        json["languages"] = .array(
            sorted(readers).map { reading, people in
                [
                    "language": .string(reading.language), "text": .string(reading.text),
                    "people": .integer(people),
                ]
            })
        json["texts"] = .object(
            JSONObject(texts.map { ($0.language, ["title": .string($0.title), "body": .string($0.body)]) }))
        return json
    }

    private func sorted(_ readers: [Reading: Int64]) -> [(Reading, Int64)] {
        readers.map { ($0.key, $0.value) }.sorted { one, other in
            (other.1, one.0.language, one.0.text) < (one.1, other.0.language, other.0.text)
        }
    }

    // MARK: For people

    /// Lines of at most 80 columns.
    var lines: [String] {
        guard isComplete else { return ["\(audience): \(size.counted("person", "people"))"] }
        return (reachLines + texts(ofReaders: readers)).flatMap { $0.lines(of: Self.columns) }
    }

    private var reachLines: [String] {
        let people = reach["people"] ?? 0
        var lines = ["\(audience): \(people.counted("person", "people"))"]
        var rows: [(String, String)] = [
            ("online", audience == "online" ? "online" : "online: it comes at once"),
            ("withDevice", "with a device that can be pushed"),
        ]
        if level == .passive {
            lines.append("The level passive interrupts nobody.")
        } else {
            rows += [
                ("quietHours", "in quiet hours: it does not ring"),
                ("muted", "with the kind \(kind), its topic or everything muted: it does not ring"),
                ("level", "with levels chosen that keep it from ringing"),
                ("digest", "with a digest that collects it"),
            ]
        }
        let width = rows.map { (reach[$0.0] ?? 0).grouped.count }.max() ?? 0
        for (name, says) in rows {
            let count = (reach[name] ?? 0).grouped
            lines.append("  " + String(repeating: " ", count: width - count.count) + count + "  " + says)
        }
        if let keptOut = reach["keptOut"], keptOut > 0 {
            lines.append(
                keptOut == 1
                    ? "1 more is banned or has closed the account, and gets nothing."
                    : "\(keptOut.grouped) more are banned or have closed their accounts, and get nothing.")
        }
        if let unknown = Self.unknownUsers(in: unknown) { lines.append(unknown) }
        return lines
    }

    /// Each text with its readers. The default text is shown once, under the language that has the same words.
    private func texts(ofReaders readers: [Reading: Int64]) -> [String] {
        let usual = texts.first { $0.language.isEmpty }
        let named = texts.filter { !$0.language.isEmpty }
        let same = named.first { $0.title == usual?.title && $0.body == usual?.body }?.language
        let shown = same == nil ? texts : named
        return shown.flatMap { text -> [String] in
            let isUsual = text.language.isEmpty || text.language == same
            let all = readers.filter { $0.key.text == text.language || isUsual && $0.key.text.isEmpty }
            let own = all.filter { named.isEmpty || Self.isOwn($0.key.language, text.language) }
            let others = all.filter { own[$0.key] == nil }
            let name = !text.language.isEmpty ? text.language : named.isEmpty ? "all languages" : "all other languages"
            var head = name + ": " + own.values.reduce(0, +).counted("reader", "readers")
            if !others.isEmpty {
                head +=
                    ", and \(others.values.reduce(0, +).grouped) without a text in their language ("
                    + list(others) + ")"
            }
            let box = NotificationBox(title: text.title, body: text.body)
            return ["", head] + box.lines + (box.isCut ? ["A phone that is locked cuts this text."] : [])
        }
    }

    private func list(_ readers: [Reading: Int64]) -> String {
        let all = sorted(readers)
        let shown = all.prefix(Self.languagesShown).map { reading, people in
            "\(reading.language.isEmpty ? "none chosen" : reading.language) \(people.grouped)"
        }
        let rest = all.count > shown.count ? ["\(all.count - shown.count) more languages"] : []
        return (shown + rest).joined(separator: ", ")
    }

    /// Whether a text of a language is in the language of its reader.
    private static func isOwn(_ reader: String, _ text: String) -> Bool {
        !reader.isEmpty && reader.prefix { $0 != "-" } == text.prefix { $0 != "-" }
    }

    /// The number of people whom it reaches.
    var count: Int64 { size }
}
