import JSON
import Model
import Store
import Triggers

/// Whom a tested trigger would reach, in which language, and what would not interrupt whom.
///
/// - Confinement: any
struct TriggerTestAudience {
    private let wanted: NotificationWanted
    private let change: DocumentChange
    private let user: UserID?
    private let limit: Int

    init(_ wanted: NotificationWanted, change: DocumentChange, user: UserID?, limit: Int) {
        self.wanted = wanted
        self.change = change
        self.user = user
        self.limit = limit
    }

    func write(in context: ReadContext, to reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let audience = AudienceReading(transaction: transaction)
        reply.member("notification", wanted.testJSON)
        if let collapse = wanted.collapse {
            let replaced = try audience.streams(of: wanted.audience).prefix(1).compactMap {
                try transaction.notifications.find(collapse: collapse, in: $0)?.id
            }
            if let id = replaced.first { reply.member("replaces", id) }
        }
        let size = try audience.size(of: wanted.audience)
        let recipients = try recipients(audience)
        reply.member("audience", ["to": .string(wanted.audience.description), "size": .integer(size)])
        reply.member("recipients", .array(recipients))
        reply.member("more", max(0, size - Int64(recipients.count)))
    }

    private func recipients(_ audience: AudienceReading) throws -> [JSONValue] {
        if let user {
            guard let entry = try audience.transaction.users.find(user) else { return [unknown(user)] }
            let membership = try audience.membership(of: entry, in: wanted.audience, at: nil)
            return [recipient(entry.name, entry, membership)]
        }
        if case .user(let user) = wanted.audience, try audience.transaction.users.number(of: user) == nil {
            return limit > 0 ? [unknown(user)] : []
        }
        return try audience.people(of: wanted.audience, limit: limit).map { recipient($0.name, $0, nil) }
    }

    /// Somebody who has never connected: the notification would wait for him.
    private func unknown(_ user: UserID) -> JSONValue {
        var isIn = if case .everyone = wanted.audience { true } else { false }
        if case .user(user) = wanted.audience { isIn = true }
        var object = recipient(user, nil, nil)
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
        _ membership: AudienceReading.Membership?
    ) -> JSONValue {
        let decision = RecipientDecision(level: wanted.level, silence: nil, user: entry)
        let text = wanted.texts[decision.language]
        var object: JSONObject = [
            "user": .string(name.text), "sent": .bool(membership?.isIn ?? true),
            "language": decision.language.map { .string($0.text) } ?? .null, "title": .string(text.title),
            "body": .string(text.body), "alert": .bool(decision.alerts),
        ]
        object["reason"] = decision.reason.map { .string($0) }
        object["says"] = .string(membership.map { $0.isIn ? "\($0.says); \(decision.says)" : $0.says } ?? decision.says)
        return .object(object)
    }
}
