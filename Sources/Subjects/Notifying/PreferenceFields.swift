import ClientProtocol
import JSON
import Model

/// Reads single members of the preferences. A refusal names the member.
///
/// - Confinement: any
struct PreferenceFields {
    static let kindForm = "a kind, 1 to \(PreferenceLimits.kindCharactersMax) of a-z 0-9 . -"
    let prefix: String

    func refusal(_ field: String, _ wanted: String) -> Refusal { .badRequest(field: prefix + field, wanted) }

    func unknown(_ name: String) -> Refusal {
        let known = ["locale"] + DeliveryPreferences.members.map(\.key)
        return refusal(name, "is not a preference; known are: \(known.joined(separator: ", "))")
    }

    static func kind(_ text: String) -> String? {
        let isForm = text.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2e || byte == 0x2d
        }
        return isForm && (1...PreferenceLimits.kindCharactersMax).contains(text.utf8.count) ? text : nil
    }

    /// An object with only these members; empty when it is absent.
    func object(_ value: JSONValue?, _ field: String, allowing names: [String]) throws(Refusal) -> JSONObject {
        guard let value else { return [:] }
        guard let object = value.objectValue else { throw refusal(field, "must be an object") }
        for (name, _) in object.members where !names.contains(name) {
            throw refusal("\(field).\(name)", "is not known; \(field) has \(names.joined(separator: ", "))")
        }
        return object
    }

    /// An object whose members the user names. Reads them one by one.
    func each<Value>(
        _ value: JSONValue?,
        _ field: String,
        max: Int,
        _ read: (String, JSONValue, String) throws(Refusal) -> Value
    ) throws(Refusal) -> [Value] {
        guard let value else { return [] }
        guard let object = value.objectValue else { throw refusal(field, "must be an object") }
        guard object.count <= max else { throw refusal(field, "has at most \(max) members") }
        var values: [Value] = []
        for (name, value) in object.members { values.append(try read(name, value, "\(field).\(name)")) }
        return values
    }

    func clock(_ value: JSONValue?) throws(Refusal) -> ZoneClock {
        guard let value else { return .utc }
        guard let name = value.stringValue, let clock = ZoneClock(name) else {
            throw refusal("timeZone", "must be \(ZoneClock.form), or null")
        }
        return clock
    }

    func time(_ value: JSONValue?, _ field: String) throws(Refusal) -> LocalTime {
        guard let time = value?.stringValue.flatMap({ LocalTime($0) }) else {
            throw refusal(field, "must be \(LocalTime.form)")
        }
        return time
    }

    func quietHours(_ value: JSONValue?) throws(Refusal) -> QuietHours? {
        guard let value else { return nil }
        let object = try object(value, "quietHours", allowing: ["from", "to", "days", "allow", "summary"])
        if let summary = object["summary"], summary.boolValue == nil {
            throw refusal("quietHours.summary", "must be true or false")
        }
        let days = try words(object["days"], "quietHours.days", "days: mon, tue, wed, thu, fri, sat, sun") {
            Weekday(rawValue: $0)
        }
        return QuietHours(
            from: try time(object["from"], "quietHours.from"),
            to: try time(object["to"], "quietHours.to"),
            days: days ?? Set(Weekday.allCases),
            allowedKinds: try words(object["allow"], "quietHours.allow", "kinds", Self.kind) ?? [],
            hasSummary: object["summary"]?.boolValue ?? true
        )
    }

    /// A list of different words; nil when it is absent.
    private func words<Word: Hashable>(
        _ value: JSONValue?,
        _ field: String,
        _ form: String,
        _ read: (String) -> Word?
    ) throws(Refusal) -> Set<Word>? {
        guard let value else { return nil }
        let list = value.arrayValue ?? []
        let words = list.compactMap { $0.stringValue.flatMap(read) }
        guard value.arrayValue != nil, words.count == list.count, list.count <= PreferenceLimits.kindsMax else {
            throw refusal(field, "must be a list of \(form)")
        }
        return Set(words)
    }

    func mute(_ value: JSONValue, _ field: String) throws(Refusal) -> DeliveryPreferences.Mute {
        if value == .bool(true) { return .forEver }
        guard let until = value.stringValue.flatMap({ Timestamp($0) }) else {
            throw refusal(field, "must be true, or the time when it ends (RFC 3339)")
        }
        return .until(until)
    }

    func mutes<Name: Hashable>(
        _ value: JSONValue?,
        _ field: String,
        form: String,
        _ read: (String) -> Name?
    ) throws(Refusal) -> [Name: DeliveryPreferences.Mute] {
        let all = try each(value, field, max: PreferenceLimits.mutesMax) {
            (name, value, field) throws(Refusal) -> (Name, DeliveryPreferences.Mute) in
            guard let name = read(name) else { throw refusal(field, "must be named by \(form)") }
            return (name, try mute(value, field))
        }
        return Dictionary(all, uniquingKeysWith: { $1 })
    }

    func levels(_ value: JSONValue, _ field: String) throws(Refusal) -> Set<InterruptionLevel> {
        let levels = try words(value, field, "levels: active, time-sensitive, critical") { word in
            InterruptionLevel(rawValue: word).flatMap { $0 == .passive ? nil : $0 }
        }
        return levels ?? DeliveryPreferences.allLevels
    }

    func kinds(_ value: JSONValue?) throws(Refusal) -> [String: DeliveryPreferences.KindLevels] {
        let all = try each(value, "kinds", max: PreferenceLimits.kindsMax) {
            (name, value, field) throws(Refusal) -> (String, DeliveryPreferences.KindLevels) in
            guard Self.kind(name) != nil else { throw refusal(field, "must be named by \(Self.kindForm)") }
            let object = try object(value, field, allowing: ["deliver", "levels"])
            if let deliver = object["deliver"] {
                guard ["alert", "silent"].contains(deliver.stringValue) else {
                    throw refusal("\(field).deliver", "must be alert or silent")
                }
                if deliver.stringValue == "silent" { return (name, .silent) }
            }
            guard let levels = object["levels"] else { return (name, .these(DeliveryPreferences.allLevels)) }
            return (name, .these(try self.levels(levels, "\(field).levels")))
        }
        return Dictionary(all, uniquingKeysWith: { $1 })
    }

    func digests(_ value: JSONValue?) throws(Refusal) -> [DigestSubject: DigestRule] {
        let all = try each(value, "digest", max: PreferenceLimits.digestsMax) {
            (name, value, field) throws(Refusal) -> (DigestSubject, DigestRule) in
            let subject = DigestSubject(name)
            let isNamed =
                switch subject {
                case .topic(let topic): Topic(topic) != nil
                case .kind(let kind): Self.kind(kind) != nil && kind != NotificationFacts.digestKind
                case .quietHours: false
                }
            guard isNamed else {
                let digest = NotificationFacts.digestKind
                throw refusal(field, "must be named by \(Self.kindForm) other than \(digest), or topic:KIND:ID")
            }
            return (subject, try digest(value, field))
        }
        return Dictionary(all, uniquingKeysWith: { $1 })
    }

    private func digest(_ value: JSONValue, _ field: String) throws(Refusal) -> DigestRule {
        if let text = value.stringValue, let rule = DigestRule(text) { return rule }
        if let object = value.objectValue, object.count == 1, let seconds = object["every"]?.integerValue,
            PreferenceLimits.digestSeconds.contains(seconds)
        {
            return .lookBack(milliseconds: seconds * 1000)
        }
        throw refusal(field, "must be \(DigestRule.form)")
    }
}
