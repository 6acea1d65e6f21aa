import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

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
    /// The name of the field `expires` in the request.
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

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        // It is checked here and not when the request is read, so that a repetition under the same key gets the first
        // answer at any time.
        try Self.check(expires, expiresField, at: context.now)
        let size = try audience.size(in: transaction.reading)
        if case .user(let user) = audience, size == 0 {
            throw Refusal.noUser(user, field: "audience")
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
        var notifier = Notifier(in: context)
        _ = try notifier.notify(audience.audience, draft)
        try transaction.broadcasts.insert(
            id: id,
            position: transaction.head,
            audience: audience.text,
            size: size,
            at: context.now
        )
        return [
            "id": .string(String(id)), "audience": .string(audience.text), "size": .integer(size),
            "seq": .integer(transaction.head.value),
        ]
    }
}

extension SendBroadcast {
    /// - Throws: `Refusal` naming the field when the notification would have expired already.
    static func check(_ expires: Timestamp?, _ field: String, at now: Timestamp) throws {
        guard let expires, expires <= now else { return }
        throw Refusal.badRequest(field: field, "must lie in the future; the server's time is \(now.text)")
    }
}
