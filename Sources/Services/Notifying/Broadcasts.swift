import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// Whom a broadcast is for.
///
/// - Confinement: any
package enum BroadcastAudience: Sendable, Hashable {
    case everyone
    case followers(Topic)
    case user(UserID)

    /// Reads `everyone`, `user:ID` or a topic; nil when it is none of them.
    package init?(_ text: String) {
        if text == "everyone" {
            self = .everyone
        } else if let topic = Topic(text) {
            self = topic.user.map { .user($0) } ?? .followers(topic)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .everyone: "everyone"
        case .followers(let topic): topic.text
        case .user(let user): Topic(user: user).text
        }
    }

    var audience: Audience {
        switch self {
        case .everyone: .everyone
        case .followers(let topic): .followers(topic)
        case .user(let user): .user(user)
        }
    }

    /// People it reaches, now or when they next connect.
    func size(in transaction: Transaction) throws -> Int64 {
        switch self {
        case .everyone: try transaction.users.count()
        case .followers(let topic): try transaction.streams.find(topic)?.followers ?? 0
        case .user(let user): try transaction.users.number(of: user) == nil ? 0 : 1
        }
    }
}

/// `POST /v1/broadcasts`: an operator's notification.
///
/// - Confinement: any
package struct SendBroadcast: WriteUseCase {
    let audience: BroadcastAudience
    let level: InterruptionLevel
    let texts: StoredTexts
    let data: String
    let expires: Timestamp?
    let collapse: String?
    /// What the member `expires` is called where the broadcast came from.
    let expiresField: String
    package let key: WriteKey?

    package init(
        audience: BroadcastAudience,
        level: InterruptionLevel,
        texts: StoredTexts,
        data: JSONObject,
        expires: Timestamp?,
        expiresField: String = "expires",
        collapse: String?,
        key: WriteKey?
    ) {
        self.audience = audience
        self.level = level
        self.texts = texts
        self.data = JSONValue.object(data).text
        self.expires = expires
        self.expiresField = expiresField
        self.collapse = collapse
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("broadcast")
        fingerprint.add(audience.text)
        fingerprint.add(level.rawValue)
        fingerprint.add(texts.json)
        fingerprint.add(data)
        fingerprint.add(expires?.milliseconds)
        fingerprint.add(collapse)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        // Here and not when the request is read: its repetition under the same key gets the first answer at any time.
        try Self.check(expires, expiresField, at: context.now)
        let size = try audience.size(in: transaction)
        if case .user(let user) = audience, size == 0 {
            throw Refusal(.notFound, "there is no user \(user.text)", field: "audience")
        }
        let id = try transaction.broadcasts.nextID()
        let draft = NotificationDraft(
            kind: "broadcast",
            level: level,
            texts: texts,
            data: data,
            expires: expires,
            collapse: collapse,
            broadcast: id
        )
        _ = try context.notify(audience.audience, draft)
        try transaction.broadcasts.insert(
            id: id,
            position: transaction.head,
            audience: audience.text,
            size: size,
            at: context.now
        )
        reply.member("id", String(id))
        reply.member("audience", audience.text)
        reply.member("size", size)
        reply.member("seq", transaction.head.value)
    }
}

extension SendBroadcast {
    /// - Throws: `Refusal` naming the field when nobody would be told any more.
    static func check(_ expires: Timestamp?, _ field: String, at now: Timestamp) throws {
        guard let expires, expires <= now else { return }
        throw Refusal.badRequest(field: field, "must lie in the future; the server's time is \(now.text)")
    }
}

/// `POST /v1/broadcasts` with `dryRun`: whom it would reach.
///
/// - Confinement: any
package struct PreviewBroadcast: ReadUseCase {
    let audience: BroadcastAudience
    let expires: Timestamp?

    package init(audience: BroadcastAudience, expires: Timestamp? = nil) {
        self.audience = audience
        self.expires = expires
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        try SendBroadcast.check(expires, "expires", at: context.now)
        reply.member("dryRun", true)
        reply.member("audience", audience.text)
        reply.member("size", try audience.size(in: context.transaction))
    }
}

/// `GET /v1/broadcasts/ID`; the number delivered live is added by the server, which counts it.
///
/// - Confinement: any
package struct ReadBroadcast: ReadUseCase {
    let id: Int64
    let delivered: Int64

    package init(id: Int64, delivered: Int64) {
        self.id = id
        self.delivered = delivered
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        guard let broadcast = try context.transaction.broadcasts.find(id) else {
            throw Refusal(.notFound, "there is no broadcast \(id)", field: "id")
        }
        reply.member("id", String(id))
        reply.member("audience", broadcast.audience)
        reply.member("size", broadcast.size)
        reply.member("seq", broadcast.position.value)
        reply.member("at", broadcast.at.text)
        reply.member("delivered", delivered)
        reply.member("cancelled", broadcast.isCancelled)
    }
}

/// `DELETE /v1/broadcasts/ID`: takes the notification back, from every device it is on and from those to come.
///
/// - Confinement: any
package struct CancelBroadcast: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        guard let broadcast = try transaction.broadcasts.find(id) else {
            throw Refusal(.notFound, "there is no broadcast \(id)", field: "id")
        }
        if !broadcast.isCancelled {
            try transaction.broadcasts.cancel(id, at: context.now)
            try transaction.snoozes.cancel(broadcast.position)
            if let written = try transaction.notifications.findWritten(at: broadcast.position) {
                try context.removeCopies(of: written, reason: .retracted)
            }
            if let entry = try transaction.notifications.find(broadcast.position) {
                let isInbox = BroadcastAudience(broadcast.audience).map { if case .user = $0 { true } else { false } }
                try context.remove(entry, reason: .retracted, isInbox: isInbox ?? false)
            }
        }
        reply.member("id", String(id))
        reply.member("cancelled", true)
    }
}
