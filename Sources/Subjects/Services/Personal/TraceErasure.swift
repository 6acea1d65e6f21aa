import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Store

/// The name of an erased person in entries of the log, and in all tables that are not the person's own.
///
/// - Confinement: store (the writer's thread)
struct TraceErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// Looks at the next rows of a table. The place is the table's number, and the key of the last row.
    func eraseTraces(from place: String) throws -> String? {
        let parts = place.split(separator: " ", maxSplits: 1)
        let number = parts.first.flatMap { Int64($0) } ?? 0
        guard let table = TracedTable(rawValue: number) else { return nil }
        let last = try parts.count == 2 ? Self.key(String(parts[1])) : []
        if table == .reports, last.isEmpty {
            person.certificate.add(try transaction.traces.clearReason(ofReportsBy: person.user), "report")
            for id in try transaction.traces.reports(about: person.user) { try rewriteDocument(ofReport: id) }
        }
        let found = try transaction.traces.rows(
            of: table, containing: person.name.text, after: last, limit: ErasureLimits.rowsLookedAt)
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

    private func erase(_ row: TracedRow, of table: TracedTable) throws {
        switch table {
        case .changes: try eraseEntry(row)
        case .notifications: try NotificationErasure(person).erase(row)
        case .documentVersions: try DocumentErasure(person).eraseVersion(row)
        case .reports: try eraseReport(row)
        case .schedules: try eraseSchedule(row)
        case .webhookJobs:
            guard try isThePersons(row, table), let job = row.number else { return }
            try transaction.traces.deleteWebhook(job)
            person.certificate.add(1, "webhook")
        case .dead, .fired, .interruptions, .toldAcross, .digests, .digestEntries, .snoozes, .revocations,
            .versionBytes:
            guard try isThePersons(row, table) else { return }
            try transaction.traces.delete(row, of: table)
            person.certificate.add(1, "mention")
        case .keys, .pastPreferences: try rewrite(row, of: table) { person.traces.rewritten(json: $0) ?? $0 }
        case .users: try erasePreferences(row)
        case .audit: try eraseNote(row)
        case .broadcasts: try rewrite(row, of: table) { person.traces.rewritten(topic: $0) }
        case .streams:
            try rewrite(row, of: table) { person.traces.rewritten(stream: $0) }
            person.context.watched.forget()
        case .changesOfGone:
            guard let seq = row.number else { return }
            try transaction.erasures.silence(seq)
            person.certificate.add(1, "entry")
        }
    }

    /// Whether a row, which has the name in one of its texts, goes with the person.
    private func isThePersons(_ row: TracedRow, _ table: TracedTable) throws -> Bool {
        let text = row.texts[0] ?? ""
        switch table {
        case .webhookJobs:
            let data = try row.texts[2].map { try JSONValue(parsing: Array($0.utf8)) }
            let isForThePerson = data?["notification"]?["audience"]?.stringValue == Topic(user: person.name).text
            return try isForThePerson || person.traces.isIn(path: text) || person.isOfReport(text)
                || person.isCaused(row, table)
        case .dead: return try person.traces.isIn(path: text) || person.isOfReport(text) || person.isCaused(row, table)
        case .fired, .snoozes: return person.traces.isIn(path: text)
        // Their words are those of a notification, which is blank, or has gone with its reader.
        case .interruptions, .toldAcross:
            guard case .number(let seq)? = row.key.last else { return false }
            return try transaction.notifications.findWritten(at: Position(seq))?.isBlank ?? true
        case .digests, .digestEntries: return text == DigestSubject.topic(Topic(user: person.name).text).name
        case .revocations: return text == person.name.text
        case .versionBytes:
            let (path, writer) = ("path ", "by ")
            if text.hasPrefix(path) { return person.traces.isIn(path: String(text.dropFirst(path.count))) }
            return text == writer + person.writers[0]
        case .changes, .notifications, .documentVersions, .schedules, .keys, .broadcasts, .reports, .streams, .audit,
            .changesOfGone, .users, .pastPreferences:
            return false
        }
    }

    private func rewrite(_ row: TracedRow, of table: TracedTable, _ new: (String) -> String) throws {
        var changed = row
        changed.texts = row.texts.map { $0.map(new) }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed, of: table)
        person.certificate.add(1, "mention")
    }

    /// An entry of the log. Messages have their content elsewhere; the change of a document of the person's own becomes
    /// nobody's.
    private func eraseEntry(_ row: TracedRow) throws {
        guard let seq = row.number, let body = row.texts[0],
            var event = try JSONValue(parsing: Array(body.utf8)).objectValue
        else { return }
        var new = person.traces.rewritten(json: body)
        if event["type"]?.stringValue == EventName.document.rawValue {
            let path = event["path"]?.stringValue
            if person.traces.isIn(path: path) {
                person.certificate.add(1, "entry")
                return try transaction.erasures.silence(seq)
            }
            // The server's own, which tells moderators of a report.
            guard path?.hasPrefix("reports/") == true, let data = event["data"]?.objectValue else { return }
            event["data"] = .object(person.traces.rewritten(data))
            new = JSONValue.object(event).text
        }
        guard let new, new != body else { return }
        person.certificate.add(1, "entry")
        if try transaction.traces.place(ofChange: seq)?.isMessage == true {
            return try transaction.traces.clearBody(ofChange: seq)
        }
        var changed = row
        changed.texts[0] = new
        try transaction.traces.update(changed, of: .changes)
    }

    /// A schedule goes with a document of the person's, when nobody else gets it, and when the person has caused
    /// it and it says the name. Others in its audience still get the rest.
    private func eraseSchedule(_ row: TracedRow) throws {
        guard var wanted = try row.texts[1].map({ try JSONValue(parsing: Array($0.utf8)) }) else { return }
        let audiences = wanted["audience"]?.arrayValue ?? wanted["audience"].map { [$0] } ?? []
        let left = audiences.compactMap { heirs(of: $0.stringValue ?? "").map { JSONValue.string($0) } }
        wanted["audience"] = .array(left)
        var says = wanted
        says["audience"] = .none
        if try left.isEmpty || person.traces.isIn(path: row.texts[0]) || person.isOfReport(row.texts[0])
            || says.text.contains(person.name.text) && person.isCaused(row, .schedules)
        {
            try transaction.traces.delete(row, of: .schedules)
        } else {
            guard left != audiences else { return }
            var changed = row
            changed.texts[1] = wanted.text
            try transaction.traces.update(changed, of: .schedules)
        }
        person.certificate.add(1, "mention")
    }

    /// The rest of the audience of something that waits: a chat of two has another name; nil for the person, and for the
    /// person's followers.
    private func heirs(of audience: String) -> String? {
        let parts = audience.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return audience }
        switch parts[0] {
        case "user": return parts[1] == person.name.text ? nil : audience
        case "followers": return parts[1] == Topic(user: person.name).text ? nil : audience
        case "chat": return "chat " + person.traces.rewritten(chat: parts[1])
        default: return audience
        }
    }

    /// The preferences of somebody who has muted the person, or the chat with the person. The loops keep them, too.
    private func erasePreferences(_ row: TracedRow) throws {
        guard let id = row.number, let new = row.texts[0].flatMap({ person.traces.rewritten(json: $0) }) else { return }
        var changed = row
        changed.texts[0] = new
        try transaction.traces.update(changed, of: .users)
        let user = StreamID(stored: id)
        transaction.note(.preferences(user: user, stored: new, isHidden: PresenceVisibility.isHidden(new)))
        person.certificate.add(1, "mention")
    }

    /// A row of the audit: who did it, to what, and the details.
    private func eraseNote(_ row: TracedRow) throws {
        var changed = row
        changed.texts[0] = row.texts[0].map(person.traces.rewritten(user:))
        changed.texts[1] = row.texts[1].map(person.traces.rewritten(target:))
        changed.texts[2] = row.texts[2].map { person.traces.rewritten(json: $0, only: NameTraces.detailNames) ?? $0 }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed, of: .audit)
        person.certificate.add(1, "mention")
    }

    /// A report about the person, or with messages of the person in its copy.
    private func eraseReport(_ row: TracedRow) throws {
        var changed = row
        changed.texts[0] = row.texts[0].map(person.traces.rewritten(chat:))
        if let copy = row.texts[1], case .array(let messages) = try JSONValue(parsing: Array(copy.utf8)) {
            let rewritten = messages.map { message -> JSONValue in
                var message = message
                guard message["from"]?.stringValue == person.name.text else { return message }
                message["from"] = .string(person.pseudonym.text)
                if person.mode != .keep { for word in ["text", "product", "past"] { message[word] = .none } }
                return message
            }
            changed.texts[1] = JSONValue.array(rewritten).text
        }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed, of: .reports)
        person.certificate.add(1, "report")
        if let id = row.number { try rewriteDocument(ofReport: id) }
    }

    /// The document that triggers see names the person and the chat.
    private func rewriteDocument(ofReport id: Int64) throws {
        try transaction.traces.rewrite(document: "reports/r\(id)") { person.traces.rewritten(json: $0) }
    }
}

extension TracedRow {
    /// The number that is the key.
    var number: Int64? { if case .number(let number)? = key.first { number } else { nil } }
}
