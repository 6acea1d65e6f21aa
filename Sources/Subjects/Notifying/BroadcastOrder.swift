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
        level: InterruptionLevel,
        texts: StoredTexts,
        data: JSONObject,
        expires: Timestamp?,
        collapse: String?,
        time: BroadcastTime? = nil
    ) {
        self.audience = audience
        self.level = level
        self.texts = texts
        self.data = JSONValue.object(data).text
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
        fingerprint.add(audience.text)
        fingerprint.add(level.rawValue)
        fingerprint.add(texts.json)
        fingerprint.add(data)
        fingerprint.add(expires?.milliseconds)
        fingerprint.add(collapse)
        // A broadcast without a time has the fingerprint that it had before there were times.
        if let time { fingerprint.add(time.text) }
    }
}

// MARK: Storing

extension BroadcastOrder {
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
        return JSONValue.object(object).text
    }

    /// The order of a stored broadcast; nil for one of a program that did not keep it.
    ///
    /// - Throws: `StoredValueProblem` when the row is damaged.
    init?(_ broadcast: BroadcastEntry) throws {
        guard let wanted = broadcast.wanted else { return nil }
        let object = try StoredJSON.object(wanted, place: "broadcasts.wanted")
        guard let audience = BroadcastAudience(broadcast.audience),
            let level = object["level"]?.stringValue.flatMap(InterruptionLevel.init(rawValue:)),
            let texts = object["texts"], let data = object["data"]?.stringValue
        else { throw StoredValueProblem(place: "broadcasts.wanted") }
        self.audience = audience
        self.level = level
        self.texts = try StoredTexts(parsing: texts.text)
        self.data = data
        expires = object["expires"]?.integerValue.map { Timestamp(milliseconds: $0) }
        collapse = object["collapse"]?.stringValue
        time = object["at"]?.stringValue.flatMap(BroadcastTime.init)
    }
}
