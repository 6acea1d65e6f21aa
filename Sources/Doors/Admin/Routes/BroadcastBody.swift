import ClientProtocol
import JSON
import Model
import Notifying
import Triggers

/// The body of `POST /v1/broadcasts`.
///
/// - Confinement: any
struct BroadcastBody {
    let order: BroadcastOrder
    let isDryRun: Bool

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject) throws(Refusal) {
        try body.allow([
            "audience", "title", "body", "level", "data", "at", "expires", "collapse", "dryRun",
        ])
        guard let audience = body["audience"]?.stringValue.flatMap(BroadcastAudience.init) else {
            throw Refusal.badRequest(
                field: "audience", "must be everyone, online, user:ID, or a topic such as person:525")
        }
        guard Self.isAddressable(audience) else {
            throw Refusal.badRequest(field: "audience", "must be a topic that a path can name: \(Topic.form)")
        }
        isDryRun = try body.flag("dryRun") ?? false
        order = BroadcastOrder(
            audience: audience, level: try Self.level(body), texts: try Self.texts(body), data: try Self.data(body),
            expires: try body.time("expires"), collapse: try Self.collapse(body), time: try Self.time(body))
    }

    private static func isAddressable(_ audience: BroadcastAudience) -> Bool {
        switch audience {
        case .everyone, .online: true
        case .followers(let topic): topic.isAddressable
        case .user(let user): Topic(user: user).isAddressable
        }
    }

    private static func time(_ body: JSONObject) throws(Refusal) -> BroadcastTime? {
        guard let value = body["at"], !value.isNull else { return nil }
        guard let time = value.stringValue.flatMap(BroadcastTime.init) else {
            throw Refusal.badRequest(field: "at", "must be \(BroadcastTime.form)")
        }
        return time
    }

    private static func level(_ body: JSONObject) throws(Refusal) -> InterruptionLevel {
        guard let value = body["level"] else { return .active }
        guard let level = value.stringValue.flatMap(InterruptionLevel.init(rawValue:)) else {
            let known = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal.badRequest(field: "level", "must be one of \(known)")
        }
        return level
    }

    private static func data(_ body: JSONObject) throws(Refusal) -> JSONObject {
        guard let value = body["data"], !value.isNull else { return [:] }
        guard let object = value.objectValue else { throw Refusal.badRequest(field: "data", "must be an object") }
        return object
    }

    private static func collapse(_ body: JSONObject) throws(Refusal) -> String? {
        guard let value = body["collapse"], !value.isNull else { return nil }
        guard let text = value.stringValue, (1...200).contains(text.count) else {
            throw Refusal.badRequest(field: "collapse", "must be 1 to 200 characters")
        }
        return text
    }

    /// Title and body, each a text or texts by language, joined language by language.
    private static func texts(_ body: JSONObject) throws(Refusal) -> StoredTexts {
        // On one line and without characters that steer a terminal or turn its direction, as templates write titles.
        let titles = try localized(body, "title", max: Limits.titleCharactersMax) {
            TextCut.line($0, charactersMax: Limits.titleCharactersMax)
        }
        let bodies = try localized(body, "body", max: Limits.bodyCharactersMax) { $0 }
        guard titles != nil || bodies != nil else { throw Refusal.badRequest(field: "title", "is required") }
        let title = titles ?? Localized(fallback: "")
        let text = bodies ?? Localized(fallback: "")
        let languages = Set(title.byLanguage.keys).union(text.byLanguage.keys)
        let byLanguage = Dictionary(
            uniqueKeysWithValues: languages.map { ($0, NotificationText(title: title[$0], body: text[$0])) })
        return StoredTexts(
            Localized(
                fallback: NotificationText(title: title.fallback, body: text.fallback), byLanguage: byLanguage))
    }

    private static func localized(
        _ body: JSONObject, _ field: String, max: Int, _ clean: (String) -> String
    ) throws(Refusal) -> Localized<String>? {
        guard let value = body[field], !value.isNull else { return nil }
        if let text = value.stringValue { return Localized(fallback: clean(try checked(text, field, max: max))) }
        guard let object = value.objectValue, let first = object.members.first?.value else {
            throw Refusal.badRequest(field: field, "must be a text, or an object of texts by language")
        }
        var byLanguage: [LanguageTag: String] = [:]
        for (name, value) in object.members {
            guard let tag = LanguageTag(name) else {
                throw Refusal.badRequest(field: "\(field).\(name)", "must be named by \(LanguageTag.form)")
            }
            guard let text = value.stringValue else {
                throw Refusal.badRequest(field: "\(field).\(name)", "must be a text")
            }
            byLanguage[tag] = clean(try checked(text, "\(field).\(name)", max: max))
        }
        let fallback = LanguageTag("en").flatMap { byLanguage[$0] } ?? first.stringValue.map(clean) ?? ""
        return Localized(fallback: fallback, byLanguage: byLanguage)
    }

    private static func checked(_ text: String, _ field: String, max: Int) throws(Refusal) -> String {
        guard (1...max).contains(text.unicodeScalars.count) else {
            throw Refusal.badRequest(field: field, "must be 1 to \(max) characters")
        }
        guard ShownText.isVisible(text) else { throw Refusal.badRequest(field: field, ShownText.rule) }
        return text
    }
}
