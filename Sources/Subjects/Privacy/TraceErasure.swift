import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import PersonalData
import Store

/// The name of an erased person in entries of the log, and in all tables that are not the person's own.
///
/// - Confinement: store (the writer's thread)
struct TraceErasure {
    let person: ErasedPerson

    init(_ person: ErasedPerson) { self.person = person }

    private var transaction: WriteTransaction { person.context.transaction }

    /// Looks at the next rows of a table. The place is the name of the table, and the key of the last row; one that an earlier
    /// version has written begins again, which changes nothing that is done.
    func eraseTraces(from place: String) throws -> String? {
        let parts = place.split(separator: " ", maxSplits: 1).map(String.init)
        let tables = TracedTable.all
        let number = parts.first.flatMap { name in tables.firstIndex { Self.name($0) == name } } ?? 0
        let table = tables[number]
        let last = try parts.count == 2 && Self.name(table) == parts[0] ? Self.key(parts[1]) : []
        if table.name == .reports, last.isEmpty {
            person.certificate.add(try transaction.traces.clearReason(ofReportsBy: person.user), "report")
            for id in try transaction.traces.reports(about: person.user) { try rewriteDocument(ofReport: id) }
        }
        let found = try transaction.traces.rows(
            of: table, containing: person.name.text, of: person.user, after: last, limit: ErasureLimits.rowsLookedAt)
        for row in found.rows { try erase(row) }
        if let end = found.last { return "\(Self.name(table)) \(JSONValue.array(end.map(Self.json)).text)" }
        return tables.indices.contains(number + 1) ? Self.name(tables[number + 1]) : nil
    }

    private static func name(_ table: TracedTable) -> String {
        table.isOfGone ? "gone" : table.name.rawValue
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

    private func erase(_ row: TracedRow) throws {
        if row.table.isOfGone {
            guard let seq = row.number else { return }
            try transaction.erasures.silence(seq)
            return person.certificate.add(1, "entry")
        }
        switch row.table.fate {
        case .none: return
        case .rowGoes:
            guard zip(row.table.texts, row.texts).contains(where: { isThePerson($1, as: $0.form) }) else { return }
            try erase(row, as: "mention")
        case .rewritten: try rewrite(row)
        case .step(let step): try perform(step, on: row)
        }
    }

    private func perform(_ step: TraceStep, on row: TracedRow) throws {
        switch step {
        case .entries: try eraseEntry(row)
        case .notifications: try NotificationErasure(person).erase(row)
        case .versions: try DocumentErasure(person).eraseVersion(row)
        case .reports: try eraseReport(row)
        case .schedules: try eraseSchedule(row)
        case .people: try erasePreferences(row)
        case .webhooks:
            guard try isThePersons(webhook: row), let job = row.number else { return }
            try transaction.traces.deleteWebhook(job)
            person.certificate.add(1, "webhook")
        case .deadLetters:
            guard try person.traces.isIn(path: row["path"]) || person.isOfReport(row["path"]) || person.isCaused(row)
            else { return }
            try erase(row, as: "mention")
        case .notificationWords:
            guard case .number(let seq)? = row.key.last,
                try transaction.notifications.findWritten(at: Position(seq))?.isBlank ?? true
            else { return }
            try erase(row, as: "mention")
        case .streams:
            try rewrite(row)
            person.context.watched.forget()
        }
    }

    private func erase(_ row: TracedRow, as kind: String) throws {
        try transaction.traces.delete(row)
        person.certificate.add(1, kind)
    }

    /// Whether a text stands for the person, and nobody else.
    private func isThePerson(_ text: String?, as form: TraceForm) -> Bool {
        guard let text else { return false }
        switch form {
        case .path: return person.traces.isIn(path: text)
        case .user: return text == person.name.text
        case .writer: return text == person.writers[0]
        case .topic: return text == Topic(user: person.name).text
        case .digestSubject: return text == DigestSubject.topic(Topic(user: person.name).text).name
        case .versionOwner:
            let (path, writer) = ("path ", "by ")
            if text.hasPrefix(path) { return person.traces.isIn(path: String(text.dropFirst(path.count))) }
            return text == writer + person.writers[0]
        case .chat, .topics, .stream, .target, .detail, .json, .words: return false
        }
    }

    private func isThePersons(webhook row: TracedRow) throws -> Bool {
        let data = try row["data"].map { try JSONValue(parsing: Array($0.utf8)) }
        let isForThePerson = data?["notification"]?["audience"]?.stringValue == Topic(user: person.name).text
        return try isForThePerson || person.traces.isIn(path: row["path"]) || person.isOfReport(row["path"])
            || person.isCaused(row)
    }

    private func rewrite(_ row: TracedRow) throws {
        var changed = row
        changed.texts = zip(row.table.texts, row.texts).map { column, text in
            text.map { person.traces.rewritten($0, as: column.form) }
        }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed)
        person.certificate.add(1, "mention")
    }

    /// An entry of the log. Messages have their content elsewhere; the change of a document of the person's own becomes
    /// nobody's.
    private func eraseEntry(_ row: TracedRow) throws {
        guard let seq = row.number, let body = row["body"],
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
        changed["body"] = new
        try transaction.traces.update(changed)
    }

    /// A schedule goes with a document of the person's, when nobody else gets it, and when the person has caused
    /// it and it says the name. Others in its audience still get the rest.
    private func eraseSchedule(_ row: TracedRow) throws {
        guard var wanted = try row["wanted"].map({ try JSONValue(parsing: Array($0.utf8)) }) else { return }
        let audiences = wanted["audience"]?.arrayValue ?? wanted["audience"].map { [$0] } ?? []
        let left = audiences.compactMap { heirs(of: $0.stringValue ?? "").map { JSONValue.string($0) } }
        wanted["audience"] = .array(left)
        var says = wanted
        says["audience"] = .none
        if try left.isEmpty || person.traces.isIn(path: row["path"]) || person.isOfReport(row["path"])
            || says.text.contains(person.name.text) && person.isCaused(row)
        {
            try transaction.traces.delete(row)
        } else {
            guard left != audiences else { return }
            var changed = row
            changed["wanted"] = wanted.text
            try transaction.traces.update(changed)
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
        guard let id = row.number, let new = row["preferences"].flatMap({ person.traces.rewritten(json: $0) }) else {
            return
        }
        var changed = row
        changed["preferences"] = new
        try transaction.traces.update(changed)
        let user = StreamID(stored: id)
        transaction.note(.preferences(user: user, stored: new, isHidden: PresenceVisibility.isHidden(new)))
        person.certificate.add(1, "mention")
    }

    /// A report about the person, or with messages of the person in its copy.
    private func eraseReport(_ row: TracedRow) throws {
        var changed = row
        changed["chat"] = row["chat"].map(person.traces.rewritten(chat:))
        if let copy = row["copy"], case .array(let messages) = try JSONValue(parsing: Array(copy.utf8)) {
            let rewritten = messages.map { message -> JSONValue in
                var message = message
                guard message["from"]?.stringValue == person.name.text else { return message }
                message["from"] = .string(person.pseudonym.text)
                if person.mode != .keep { for word in ["text", "product", "past"] { message[word] = .none } }
                return message
            }
            changed["copy"] = JSONValue.array(rewritten).text
        }
        guard changed.texts != row.texts else { return }
        try transaction.traces.update(changed)
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
