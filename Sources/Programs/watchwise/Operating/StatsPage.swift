import Console
import JSON

/// The answer to `GET /v1/stats` for people: groups of figures in lines of at most 80 columns.
struct StatsPage {
    private static let columns = 80
    private static let nameColumns = 35

    /// The figures whose names begin with one of some words.
    private struct Group {
        let title: String
        let words: [String]
        /// Whether figures that are 0 are shown.
        var showsZeros = false
    }

    /// A figure stands in the first group that has a word for it.
    private static let groups = [
        Group(title: "SERVER", words: ["server", "pid", "epoch", "ready", "online"], showsZeros: true),
        Group(
            title: "STORED",
            words: ["seq", "users", "chats", "documents", "triggers", "dead", "log_entries", "log_retained"],
            showsZeros: true),
        Group(
            title: "SESSIONS",
            words: [
                "connections", "sessions", "starts", "commands", "requests", "refusals", "deliveries", "slow",
                "signals",
                "counts", "watches", "revoked", "kicked", "tls",
            ]),
        Group(title: "TOKENS", words: ["key_", "issuers", "tokens", "revocations"]),
        Group(title: "WRITES", words: ["commit", "write", "storage", "clock", "held", "waiting", "log_"]),
        Group(title: "NOTIFICATIONS", words: ["digests", "snoozes", "archived", "broadcasts", "push"]),
        Group(title: "WEBHOOKS AND FEEDS", words: ["webhook", "feed"]),
        Group(title: "SEARCH, ERASURES, COPIES", words: ["search", "erasure", "backups", "exports"]),
        Group(title: "REFUSED PEERS", words: ["refused"]),
    ]

    /// The lines, without their ends.
    let lines: [String]

    /// - Parameter before: the answer before, whose figures are compared; nil for none.
    init(_ answer: JSONValue, before: JSONValue?) {
        let members = answer.objectValue?.members ?? []
        var rows = [String: [String]]()
        var hidden: Int64 = 0
        for member in members where member.value.objectValue == nil {
            let group = Self.groups.first { $0.words.contains(where: member.name.hasPrefix) }
            if group?.showsZeros != true, member.value.integerValue == 0 {
                hidden += 1
                continue
            }
            let change = member.name == "pid" ? nil : Self.change(member.value, since: before?[member.name])
            rows[group?.title ?? "OTHERS", default: []] += Self.row(member.name, Self.shown(member), change)
        }
        var sections = (Self.groups.map(\.title) + ["OTHERS"]).compactMap { title in rows[title].map { [title] + $0 } }
        for member in members {
            guard let object = member.value.objectValue else { continue }
            sections.append(member.name == "retention" ? Self.retention(object) : Self.section(member.name, object))
        }
        if hidden > 0 {
            sections.append([hidden.counted("figure is", "figures are") + " 0 and left out; --json has all"])
        }
        lines = Array(sections.joined(separator: [""]))
    }

    /// `+12`; nil when it is the same.
    private static func change(_ value: JSONValue, since before: JSONValue?) -> String? {
        guard let value = value.integerValue, let before = before?.integerValue, value != before else { return nil }
        return (value > before ? "+" : "") + (value - before).grouped
    }

    private static func shown(_ member: (name: String, value: JSONValue)) -> String {
        guard let number = member.value.integerValue else { return member.value.stringValue ?? member.value.text }
        if member.name == "pid" { return "\(number)" }
        return member.name.hasSuffix("_bytes") ? number.inBytes : number.grouped
    }

    /// A name with its value, which takes further lines where it is long.
    private static func row(_ name: String, _ value: String, _ change: String? = nil) -> [String] {
        let name = name.padded(to: nameColumns)
        let start = "  " + name + "  "
        let texts = value.wrapped(to: columns - start.count)
        var lines = texts.enumerated().map { index, text in
            (index == 0 ? start : String(repeating: " ", count: start.count)) + text
        }
        if let change, let first = lines.first {
            let both = first + "  " + change
            lines[0] = both.count <= columns ? both : first
        }
        return lines
    }

    /// The members of an object, those of objects in it as `promotion.state`.
    private static func section(_ name: String, _ object: JSONObject) -> [String] {
        let rows = object.members.flatMap { member -> [String] in
            guard let inner = member.value.objectValue else { return row(member.name, shown(member)) }
            return inner.members.flatMap { row("\(member.name).\($0.name)", shown($0)) }
        }
        return [name.uppercased()] + rows
    }

    private static func retention(_ object: JSONObject) -> [String] {
        let kinds = object.members.map { kind -> JSONValue in
            [
                "kind": .string("  " + kind.name), "kept": kind.value["kept"] ?? "",
                "oldest": .string(minute(kind.value["oldest"])), "ran": .string(minute(kind.value["lastRun"])),
                "removed": .string(kind.value["removed"]?.integerValue?.grouped ?? ""),
            ]
        }
        return Table(
            of: kinds,
            [
                .left("RETENTION", "kind"), .left("KEPT", "kept"), .left("OLDEST", "oldest"),
                .left("LAST RUN", "ran"), .right("REMOVED", "removed"),
            ]
        ).lines
    }

    /// `2026-11-28 17:25Z`; empty where there is no time.
    private static func minute(_ time: JSONValue?) -> String {
        guard let text = time?.stringValue else { return "" }
        return text.prefix(16).replacing("T", with: " ") + "Z"
    }
}

extension Int64 {
    /// `1.5 MiB`; whole bytes below a KiB.
    var inBytes: String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        var (rest, unit) = (self, "")
        var tenths: Int64 = 0
        for next in units where rest >= 1024 {
            tenths = rest * 10 / 1024
            (rest, unit) = (rest / 1024, next)
        }
        return unit.isEmpty ? "\(grouped) B" : "\((tenths / 10).grouped).\(tenths % 10) \(unit)"
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self.count >= count ? cut(to: count) : self + String(repeating: " ", count: count - self.count)
    }

    /// The words in lines of at most this number of characters; a longer word is broken.
    fileprivate func wrapped(to count: Int) -> [String] {
        var lines = [""]
        for word in split(whereSeparator: \.isWhitespace) {
            var rest = word
            if let last = lines.last, !last.isEmpty {
                if last.count + 1 + rest.count <= count {
                    lines[lines.count - 1] += " " + rest
                    continue
                }
                lines.append("")
            }
            while rest.count > count {
                lines[lines.count - 1] = String(rest.prefix(count))
                lines.append("")
                rest = rest.dropFirst(count)
            }
            lines[lines.count - 1] = String(rest)
        }
        return lines
    }
}
