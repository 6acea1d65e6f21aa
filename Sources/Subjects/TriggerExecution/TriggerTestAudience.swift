import Execution
import JSON
import Model
import Notifying
import Store
import Triggers

/// The people whom a tested trigger would reach, with the language, and whether it would interrupt them.
///
/// - Confinement: any
struct TriggerTestAudience {
    private let wanted: NotificationWanted
    private let change: DocumentChange
    private let user: UserID?
    private let limit: Int
    /// The time of the change, and that at which the first would get it.
    private let now: Timestamp
    private let begins: Timestamp
    private let late: LateNotice

    init(
        _ wanted: NotificationWanted, change: DocumentChange, user: UserID?, limit: Int, now: Timestamp,
        begins: Timestamp, late: LateNotice
    ) {
        self.now = now
        self.begins = begins
        self.late = late
        self.wanted = wanted
        self.change = change
        self.user = user
        self.limit = limit
    }

    /// Adds the members to the report of the whole test.
    func add(to report: inout JSONObject, in context: ReadContext) throws {
        let transaction = context.transaction
        let audience = AudienceReading(transaction: transaction)
        report["notification"] = wanted.testJSON
        if let collapse = wanted.collapse {
            let replaced = try audience.streams(of: wanted.audience).prefix(1).compactMap {
                try transaction.notifications.find(collapse: collapse, in: $0)?.id
            }
            report["replaces"] = replaced.first.map { .string($0) }
        }
        let size = try audience.size(of: wanted.audience, at: context.now)
        let recipients = try recipients(audience)
        report["audience"] = ["to": .string(wanted.audience.description), "size": .integer(size)]
        report["recipients"] = .array(recipients)
        report["more"] = .integer(max(0, size - Int64(recipients.count)))
    }

    private func recipients(_ audience: AudienceReading) throws -> [JSONValue] {
        if let user {
            guard let entry = try audience.transaction.users.find(user) else { return [try unknown(user, audience)] }
            let membership = try audience.membership(of: entry, in: wanted.audience, at: nil)
            return [try recipient(entry.name, entry, membership, audience)]
        }
        let unknown: [JSONValue] = try wanted.audience.parts.compactMap { part in
            guard case .user(let user) = part, try audience.transaction.users.number(of: user) == nil else {
                return nil
            }
            return try self.unknown(user, audience)
        }
        let known = try audience.people(of: wanted.audience, limit: limit).map {
            try recipient($0.name, $0, nil, audience)
        }
        return Array((unknown + known).prefix(limit))
    }

    /// A person who has never connected: the notification would wait.
    private func unknown(_ user: UserID, _ audience: AudienceReading) throws -> JSONValue {
        let isIn = wanted.audience.parts.contains { $0 == .everyone || $0 == .user(user) }
        var object = try recipient(user, nil, nil, audience)
        object["known"] = false
        if !isIn {
            object["sent"] = false
            object["says"] = .string("the server does not know \(user.text)")
        }
        return object
    }

    private func recipient(
        _ name: UserID,
        _ entry: UserEntry?,
        _ membership: AudienceReading.Membership?,
        _ audience: AudienceReading
    ) throws -> JSONValue {
        let turn = wanted.wall.map {
            PersonalTurn(showing: $0, to: entry, after: nil, setAt: now, late: late, at: now)
        }
        let at: Timestamp
        switch turn {
        case .comes(let own), .came(let own), .missed(let own): at = own
        case nil: at = begins
        }
        let decision = try RecipientDecision(
            notification(for: entry, at: at, audience),
            isWritten: false,
            user: entry,
            in: audience.transaction
        )
        let text = wanted.texts[decision.language]
        var object: JSONObject = [
            "user": .string(name.text), "sent": true,
            "language": decision.language.map { .string($0.text) } ?? .null, "title": .string(text.title),
            "body": .string(text.body), "alert": .bool(decision.alerts),
        ]
        object["reason"] = decision.reason.map { .string($0.rawValue) }
        if turn != nil { object["due"] = .string(at.text) }
        var membership = try entry.flatMap { try audience.toldByAnother($0, wanted) } ?? membership
        if case .missed = turn {
            membership = AudienceReading.Membership(isIn: false, says: turn?.says(to: name) ?? "")
        }
        object["sent"] = .bool(membership?.isIn ?? true)
        object["says"] = .string(membership.map { $0.isIn ? "\($0.says); \(decision.says)" : $0.says } ?? decision.says)
        return .object(object)
    }

    /// The notification as it would be stored for the person.
    private func notification(
        for user: UserEntry?, at: Timestamp, _ audience: AudienceReading
    ) throws -> NotificationEntry {
        let (stream, topic, others) = try place(for: user, audience)
        let draft = NotificationDraft(wanted, change: .zero, path: change.path.text)
        let replaced = try wanted.collapse.flatMap {
            try audience.transaction.notifications.find(collapse: $0, in: stream)
        }
        let interruption = try Interruption(
            by: draft, replacing: replaced, in: stream, topic, at: at, audience.transaction)
        var entry = NotificationEntry(
            position: Position(Position.bound - 1),
            stream: stream,
            topic: topic,
            kind: wanted.kind,
            level: wanted.level,
            texts: StoredTexts(wanted.texts).json,
            data: wanted.data.text,
            at: at,
            expires: wanted.expires,
            collapse: wanted.collapse
        )
        entry.trigger = wanted.trigger
        entry.path = change.path.text
        entry.silence = interruption.silence
        entry.origin = interruption.origin
        entry.others = others
        return entry
    }

    /// The stream and the topics under which the person would read it: the inbox, if one of several audiences names the
    /// person.
    private func place(
        for user: UserEntry?,
        _ audience: AudienceReading
    ) throws -> (stream: StreamID, topic: String, others: [String]) {
        let parts = wanted.audience.parts
        let isPersonal = try parts.contains { part in
            if case .followers = part { return false }
            return try part != .everyone
                && (user.map { try audience.membership(of: $0, in: part, at: nil).isIn } ?? true)
        }
        if parts == [.everyone] { return (.everyone, "everyone", []) }
        let topics = parts.compactMap { if case .followers(let topic) = $0 { topic } else { nil } }
        guard !isPersonal, let first = topics.first else {
            return (user?.id ?? .nobody, user.map { Topic(user: $0.name).text } ?? wanted.audience.description, [])
        }
        let stream = try audience.transaction.streams.find(first)?.id ?? .nobody
        return (stream, first.text, topics.dropFirst().map(\.text))
    }
}
