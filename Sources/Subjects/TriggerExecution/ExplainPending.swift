package import ClientProtocol
package import Execution
package import JSON
import Model
import Notifying
import Store
import Triggers

/// `GET /v1/explain?pending=true&user=USER`: what is waiting for a person now: notifications that triggers have
/// scheduled for an audience with this person, snoozed notifications, and digests.
///
/// - Confinement: any
package struct ExplainPending: ReadUseCase {
    let user: UserID
    /// Where an earlier page has ended.
    private let after: Place?
    let limit: Int

    /// The number of schedules that one answer reads; they are for all people.
    private static let lookedAtMax = 2000

    /// - Throws: `Refusal` naming the field.
    package init(user: String?, after: Place?, limit: Int) throws(Refusal) {
        guard let user = user.flatMap(UserID.init(_:)) else {
            throw Refusal.badRequest(field: "user", "is required: \(UserID.form)")
        }
        self.user = user
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        let entry = try transaction.users.find(user)
        let (scheduled, next) = try scheduled(for: entry, at: context.now, in: transaction)
        var pending = scheduled
        if after == nil, let entry {
            pending += try putOff(by: entry, in: transaction) + digests(of: entry, in: transaction)
        }
        pending.sort { $0.due < $1.due }
        var report: JSONObject = ["user": .string(user.text), "pending": .array(pending.map(\.json))]
        report["next"] = next.map { .string($0) }
        let count =
            pending.isEmpty
            ? "nothing is" : pending.count == 1 ? "one notification is" : "\(pending.count) notifications are"
        let unknown = entry == nil ? "; the server does not know \(user.text) yet" : ""
        let page = next == nil ? "" : " on this page"
        report["verdict"] = .string("\(count) still to come for \(user.text)\(page)\(unknown)")
        return report
    }

    private typealias Waiting = (due: Timestamp, json: JSONValue)

    // MARK: What triggers have scheduled

    private func scheduled(
        for entry: UserEntry?,
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> (waiting: [Waiting], next: String?) {
        let schedules = try transaction.triggers.page(
            after: after.map { ($0.due, $0.trigger, $0.path) }, limit: Self.lookedAtMax)
        var waiting: [Waiting] = []
        var late: [String: LateNotice] = [:]
        // Of those that a person gets once across topics, the first comes, and the others do not.
        var once: [[String]: Int] = [:]
        for schedule in schedules {
            let notice = try late[schedule.trigger] ?? self.late(schedule.trigger, in: transaction)
            late[schedule.trigger] = notice
            guard let (kept, found) = try waits(schedule, for: entry, notice, at: now, in: transaction) else {
                continue
            }
            let isOnce = kept.wanted.isOnceAcrossTopics && !kept.audience.parts.contains(.user(user))
            let key = isOnce ? kept.wanted.collapse.map { [schedule.trigger, $0] } : nil
            if let key, let place = once[key] {
                if found.due < waiting[place].due { waiting[place] = found }
            } else {
                if let key { once[key] = waiting.count }
                waiting.append(found)
            }
            if waiting.count == limit { return (waiting, Place(schedule).text) }
        }
        return (waiting, schedules.count == Self.lookedAtMax ? schedules.last.map { Place($0).text } : nil)
    }

    /// The `late` column of a row, as it stands.
    private func late(_ trigger: String, in transaction: Transaction) throws -> LateNotice {
        guard let row = try transaction.triggers.find(trigger),
            let json = try? StoredJSON.object(row, place: "triggers.row"),
            let definition = try? TriggerDefinition(json: .object(json))
        else { return .tell }
        return definition.late
    }

    private func waits(
        _ schedule: ScheduleEntry,
        for entry: UserEntry?,
        _ late: LateNotice,
        at now: Timestamp,
        in transaction: Transaction
    ) throws -> (kept: ScheduledNotification, waiting: Waiting)? {
        guard let kept = try? ScheduledNotification(parsing: schedule.wanted, trigger: schedule.trigger) else {
            return nil
        }
        let reading = AudienceReading(transaction: transaction)
        let membership = try reading.membership(of: user, entry, in: kept.audience)
        guard membership.isIn, try entry.flatMap({ try reading.toldByAnother($0, kept.wanted) }) == nil else {
            return nil
        }
        var due = schedule.due
        let turn = PersonalTurn(kept, to: entry, late: late, at: now)
        if let turn {
            guard case .comes(let own) = turn else { return nil }
            due = own
        }
        let clock = turn == nil ? "" : ", by the clock of \(user.text)"
        let says = "\(schedule.trigger) notifies about \(schedule.path) at \(due.text)\(clock)"
        var json: JSONObject = [
            "what": "trigger", "due": .string(due.text), "trigger": .string(schedule.trigger),
            "path": .string(schedule.path), "seq": .integer(schedule.change.value),
            "audience": .string(kept.audience.description), "kind": .string(kept.wanted.kind),
            "level": .string(kept.wanted.level.rawValue),
            "title": .string(kept.wanted.texts[entry?.effectiveLanguage].title),
            "says": .string("\(says): \(membership.says)"),
        ]
        json["expires"] = kept.wanted.expires.map { .string($0.text) }
        return (kept, (due, .object(json)))
    }

    // MARK: What the person has chosen

    private func putOff(by entry: UserEntry, in transaction: Transaction) throws -> [Waiting] {
        try transaction.snoozes.all(of: entry.id, limit: limit).map { position, due in
            let id = NotificationEntry.id(of: position)
            var json: JSONObject = [
                "what": "snooze", "due": .string(due.text), "id": .string(id),
                "says": .string("\(id) comes back at \(due.text): \(user.text) snoozed it"),
            ]
            if let found = try transaction.notifications.findWritten(at: position) {
                let texts = try StoredTexts(parsing: found.texts).texts
                json["title"] = .string(texts[entry.effectiveLanguage].title)
                json["kind"] = .string(found.kind)
                json["level"] = .string(found.level.rawValue)
            }
            return (due, .object(json))
        }
    }

    private func digests(of entry: UserEntry, in transaction: Transaction) throws -> [Waiting] {
        try transaction.digests.all(of: entry.id).compactMap { row in
            guard let due = row.due else { return nil }
            return (
                due,
                [
                    "what": "digest", "due": .string(due.text), "subject": .string(row.subject),
                    "says": .string("the digest of \(row.subject) is due at \(due.text), if there is anything in it"),
                ]
            )
        }
    }
}

extension ExplainPending {
    /// The place of a schedule among all, and its form in `next`.
    ///
    /// - Confinement: any
    package struct Place: Sendable {
        let due: Timestamp
        let trigger: String
        let path: String

        fileprivate init(_ schedule: ScheduleEntry) {
            due = schedule.due
            trigger = schedule.trigger
            path = schedule.path
        }

        /// - Throws: `Refusal` when the text is no `next` of an answer.
        package init(_ text: String) throws(Refusal) {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let due = try Cursor.number(parts[0], field: "after"),
                TriggerDefinition.isName(parts[1]),
                Identifier.isVisibleASCII(parts[2], bytesMax: DocumentLimits.pathBytesMax)
            else { throw Refusal.badRequest(field: "after", "must be the member next of an earlier page") }
            self.due = Timestamp(milliseconds: due)
            trigger = parts[1]
            path = parts[2]
        }

        fileprivate var text: String { "\(due.milliseconds) \(trigger) \(path)" }
    }
}
