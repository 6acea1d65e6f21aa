import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Store

// The name in entries of the log, and in all tables that are not the person's own.
extension ErasureWork {
    /// Looks at the next rows of a table. The place is the table's number, and the key of the last row.
    mutating func eraseTraces() throws -> String? {
        let parts = place.split(separator: " ", maxSplits: 1)
        let number = parts.first.flatMap { Int64($0) } ?? 0
        guard let table = TracedTable(rawValue: number) else { return nil }
        let last = try parts.count == 2 ? Self.key(String(parts[1])) : []
        if table == .reports, last.isEmpty {
            counts.add(try transaction.traces.clearReason(ofReportsBy: user), "report")
            for id in try transaction.traces.reports(about: user) { try rewriteDocument(ofReport: id) }
        }
        let found = try transaction.traces.rows(
            of: table, containing: name.text, after: last, limit: ErasureLimits.rowsLookedAt)
        for row in found.rows { try erase(row, of: table) }
        guard let end = found.last else { return "\(number + 1)" }
        return "\(number) \(JSONValue.array(end.map(Self.json)).text)"
    }

    private static func json(_ key: StoredKey) -> JSONValue {
        switch key {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }

    private static func key(_ text: String) throws -> [StoredKey] {
        try (JSONValue(parsing: Array(text.utf8)).arrayValue ?? []).map { part in
            if let number = part.integerValue { return .number(number) }
            guard let text = part.stringValue else { throw StoredValueProblem(place: "erasures.place") }
            return .text(text)
        }
    }

    private mutating func erase(_ row: TracedRow, of table: TracedTable) throws {
        let traces = traces
        switch table {
        case .changes: try eraseEntry(row)
        case .notifications: try eraseNotification(row)
        case .documentVersions: try eraseVersion(row)
        case .reports: try eraseReport(row)
        case .webhookJobs:
            guard traces.mentions(row.texts[0]) || traces.mentions(json: row.texts[2]), let job = row.number else {
                return
            }
            try transaction.traces.deleteWebhook(job)
            counts.add(1, "webhook")
        case .dead, .schedules, .fired, .interruptions, .toldAcross, .digests, .digestEntries, .snoozes, .revocations,
            .versionBytes:
            guard row.texts.contains(where: { traces.mentions($0) }) else { return }
            try transaction.traces.delete(row, of: table)
            counts.add(1, "mention")
        case .keys: try rewrite(row, of: table) { traces.rewritten(json: $0) ?? $0 }
        case .audit:
            try rewrite(row, of: table) { $0.first == "{" ? traces.rewritten(json: $0) ?? $0 : traces.rewritten($0) }
        case .broadcasts: try rewrite(row, of: table) { traces.rewritten(topic: $0) }
        case .streams:
            try rewrite(row, of: table) { traces.rewritten(topic: $0) }
            context.watched.forget()
        }
    }

    private mutating func rewrite(_ row: TracedRow, of table: TracedTable, _ new: (String) -> String) throws {
        var changed = row
        changed.texts = row.texts.map { $0.map(new) }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed, of: table)
        counts.add(1, "mention")
    }

    /// An entry of the log. Messages have their content elsewhere; the change of a document of the person's own becomes
    /// nobody's.
    private mutating func eraseEntry(_ row: TracedRow) throws {
        guard let seq = row.number, let body = row.texts[0], let new = traces.rewritten(json: body) else { return }
        counts.add(1, "entry")
        if try transaction.traces.place(ofChange: seq)?.isMessage == true {
            return try transaction.traces.clearBody(ofChange: seq)
        }
        let event = try JSONValue(parsing: Array(body.utf8))
        if event["type"]?.stringValue == EventName.document.rawValue { return try transaction.erasures.silence(seq) }
        var changed = row
        changed.texts[0] = new
        try transaction.traces.update(changed, of: .changes)
    }

    /// A notification that the person has caused, or that tells of the person, is taken back, and has no words any more.
    private mutating func eraseNotification(_ row: TracedRow) throws {
        guard let seq = row.number else { return }
        if try transaction.traces.stream(ofNotification: seq) == user {
            counts.add(1, "notification")
            return try transaction.traces.deleteNotification(seq)
        }
        guard
            row.texts[0...3].contains(where: { traces.mentions($0) })
                || row.texts[4...].contains(where: { traces.mentions(json: $0) })
        else { return }
        counts.add(1, "notification")
        if let entry = try transaction.notifications.find(Position(seq)) {
            try NotificationRemoval(in: context).remove(entry, reason: .retracted)
        }
        try transaction.traces.blank(
            notification: seq, texts: StoredTexts.none.json, topic: row.texts[1].map(traces.rewritten(topic:)) ?? "")
    }

    /// A version of a document: those of the person's own paths go; of others only the writer's name.
    private mutating func eraseVersion(_ row: TracedRow) throws {
        guard let path = row.texts[0] else { return }
        if traces.mentions(path) {
            counts.add(1, "version")
            return try transaction.traces.delete(row, of: .documentVersions)
        }
        guard row.texts[1] == "user " + name.text else { return }
        counts.add(1, "version")
        if path.hasPrefix("reports/") {
            // The moderators' own, see `eraseReport`.
        } else if try isWanted(path) {
            if try eraseDocument(path) { return }
        } else {
            try keep(path)
        }
        var changed = row
        changed.texts[1] = "user " + pseudonym.text
        try transaction.traces.update(changed, of: .documentVersions)
    }

    /// The certificate lists a document of others that the person wrote.
    private mutating func keep(_ path: String) throws {
        let paths = try JSONValue(parsing: Array(kept.utf8)).arrayValue ?? []
        guard paths.count < ErasureLimits.keptDocuments, !paths.contains(.string(path)) else { return }
        kept = JSONValue.array(paths + [.string(path)]).text
    }

    /// A report about the person, or with messages of the person in its copy.
    private mutating func eraseReport(_ row: TracedRow) throws {
        var changed = row
        changed.texts[0] = row.texts[0].map { traces.rewritten($0) }
        if let copy = row.texts[1], case .array(let messages) = try JSONValue(parsing: Array(copy.utf8)) {
            let rewritten = messages.map { message -> JSONValue in
                var message = message
                guard message["from"]?.stringValue == name.text else { return message }
                message["from"] = .string(pseudonym.text)
                if mode != .keep { for word in ["text", "product", "past"] { message[word] = .none } }
                return message
            }
            changed.texts[1] = JSONValue.array(rewritten).text
        }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed, of: .reports)
        counts.add(1, "report")
        if let id = row.number { try rewriteDocument(ofReport: id) }
    }

    /// The document that triggers see names the person and the chat.
    private func rewriteDocument(ofReport id: Int64) throws {
        try transaction.traces.rewrite(document: "reports/r\(id)") { traces.rewritten(json: $0) }
    }
}

extension TracedRow {
    /// The number that is the key.
    fileprivate var number: Int64? { if case .number(let number)? = key.first { number } else { nil } }
}
