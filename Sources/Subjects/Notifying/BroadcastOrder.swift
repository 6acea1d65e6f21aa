import ClientProtocol
import Execution
package import JSON
package import Model
import Store
import Triggers

/// An operator's wish: the words, the audience and the time of a broadcast.
///
/// - Confinement: any
package struct BroadcastOrder: Sendable, Hashable {
    let audience: BroadcastAudience
    /// By which readers choose: `broadcast`, or a word of the operator.
    let kind: String
    let level: InterruptionLevel
    let texts: StoredTexts
    /// JSON of an object.
    let data: String
    let expires: Timestamp?
    let collapse: String?
    /// Nil for at once.
    let time: BroadcastTime?

    package init(
        audience: BroadcastAudience,
        kind: String = NotificationFacts.broadcastKind,
        level: InterruptionLevel,
        texts: StoredTexts,
        data: JSONObject,
        expires: Timestamp?,
        collapse: String?,
        time: BroadcastTime? = nil
    ) {
        self.init(
            audience: audience, kind: kind, level: level, texts: texts, data: JSONValue.object(data).text,
            expires: expires, collapse: collapse, time: time)
    }

    /// The same with the JSON of the data.
    init(
        audience: BroadcastAudience, kind: String, level: InterruptionLevel, texts: StoredTexts, data: String,
        expires: Timestamp?, collapse: String?, time: BroadcastTime?
    ) {
        self.audience = audience
        self.kind = kind
        self.level = level
        self.texts = texts
        self.data = data
        self.expires = expires
        self.collapse = collapse
        self.time = time
    }

    /// - Throws: `Refusal` naming the field when it could not be sent at its time, or would be over by then.
    ///
    /// It is checked when the request is carried out and not when it is read, so that a repetition under the same key gets
    /// the first answer at any time.
    ///
    /// - Parameter expiresField: what `expires` is called in the request.
    func check(_ expiresField: String = "expires", at now: Timestamp) throws(Refusal) {
        if let time {
            guard time.last > now else {
                throw Refusal.badRequest(field: "at", "must lie in the future; the server's time is \(now.text)")
            }
            guard time.first <= now.adding(milliseconds: BroadcastLimits.aheadMilliseconds) else {
                throw Refusal.badRequest(field: "at", "must be at most a year ahead")
            }
            if case (.online, .recipients) = (audience, time) {
                throw Refusal.badRequest(
                    field: "at", "must have an offset or Z for the audience online, which gets it at one moment")
            }
        }
        let last = max(time?.last ?? now, now)
        if let expires, expires <= last {
            throw Refusal.badRequest(
                field: expiresField,
                time == nil
                    ? "must lie in the future; the server's time is \(now.text)"
                    : "must be later than \(last.text), when the last get it")
        }
        guard audience == .online else { return }
        guard let expires, expires <= last.adding(milliseconds: BroadcastLimits.onlineMilliseconds) else {
            throw Refusal.badRequest(
                field: expiresField, "is required for the audience online, at most 1 hour after it is sent")
        }
    }

    func add(to fingerprint: inout Fingerprint) {
        fingerprint.add("broadcast")
        if let scope = audience.scope { scope.add(to: &fingerprint) } else { fingerprint.add(audience.text) }
        fingerprint.add(level.rawValue)
        fingerprint.add(texts.json)
        fingerprint.add(data)
        fingerprint.add(expires?.milliseconds)
        fingerprint.add(collapse)
        // A broadcast without a time has the fingerprint that it had before there were times.
        if let time { fingerprint.add(time.text) }
        if kind != NotificationFacts.broadcastKind { fingerprint.add("kind " + kind) }
    }
}

// MARK: Storing

extension BroadcastOrder {
    /// Reads a kind, the word by which readers mute such broadcasts or let them pass; nil for a text of another form, and for
    /// the kinds of the server.
    package static func kind(_ text: String) -> String? {
        let isServers = [NotificationFacts.digestKind, NotificationFacts.moderationKind, "device"].contains(text)
        return isServers ? nil : PreferenceFields.kind(text)
    }

    /// The form of a kind, for error messages.
    package static let kindForm =
        PreferenceFields.kindForm + ", and not digest, moderation or device, which are the server's"

    /// The title for readers whose language is not given; the body where there is none.
    var title: String {
        let text = texts.texts.fallback
        return text.title.isEmpty ? text.body : text.title
    }

    /// As the row keeps it, without the audience.
    var stored: String {
        var object: JSONObject = ["level": .string(level.rawValue), "texts": texts.jsonValue]
        object["data"] = .string(data)
        object["expires"] = expires.map { .integer($0.milliseconds) }
        object["collapse"] = collapse.map { .string($0) }
        object["at"] = time.map { .string($0.text) }
        object["scope"] = audience.scope?.stored
        if kind != NotificationFacts.broadcastKind { object["kind"] = .string(kind) }
        return JSONValue.object(object).text
    }

    /// The order of a stored broadcast, without the people of a scope; nil for one of a program that did not keep it.
    ///
    /// - Throws: `StoredValueProblem` when the row is damaged.
    init?(_ broadcast: BroadcastEntry) throws {
        guard let wanted = broadcast.wanted else { return nil }
        let object = try StoredJSON.object(wanted, place: "broadcasts.wanted")
        let scope = object["scope"].map { BroadcastAudience.several(BroadcastScope(stored: $0)) }
        guard let audience = scope ?? BroadcastAudience(broadcast.audience),
            let level = object["level"]?.stringValue.flatMap(InterruptionLevel.init(rawValue:)),
            let texts = object["texts"], let data = object["data"]?.stringValue
        else { throw StoredValueProblem(place: "broadcasts.wanted") }
        self.audience = audience
        kind = object["kind"]?.stringValue ?? NotificationFacts.broadcastKind
        self.level = level
        self.texts = try StoredTexts(parsing: texts.text)
        self.data = data
        expires = object["expires"]?.integerValue.map { Timestamp(milliseconds: $0) }
        collapse = object["collapse"]?.stringValue
        time = object["at"]?.stringValue.flatMap(BroadcastTime.init)
    }
}

extension BroadcastEntry {
    /// Whether it has several audiences; false for one that cannot be read.
    var isToSeveral: Bool {
        guard let wanted, let object = try? StoredJSON.object(wanted, place: "broadcasts.wanted") else { return false }
        return object["scope"] != nil
    }
}
