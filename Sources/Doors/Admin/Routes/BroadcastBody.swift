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
    /// Where the slice of a dry run begins; nil for the first.
    let after: String?

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject) throws(Refusal) {
        try body.allow(BroadcastFields.names + ["dryRun", "after"])
        let fields = BroadcastFields(body: body)
        guard let audience = try fields.audience() else { throw BroadcastFields.noAudience }
        isDryRun = try body.flag("dryRun") ?? false
        after = body["after"]?.stringValue
        guard body["after"] == nil || isDryRun && after != nil else {
            throw Refusal.badRequest(field: "after", "goes with dryRun, and is the member next of the slice before")
        }
        guard let texts = try fields.texts() else { throw Refusal.badRequest(field: "title", "is required") }
        order = BroadcastOrder(
            audience: audience, kind: try fields.kind() ?? NotificationFacts.broadcastKind,
            level: try fields.level() ?? .active, texts: texts, data: try fields.data() ?? [:],
            expires: try body.time("expires"), collapse: try fields.collapse(), time: try fields.time())
    }
}

extension BroadcastChange {
    /// Reads the body of `PATCH /v1/broadcasts/ID`: members that are absent stay as they are, and `null` takes one away that
    /// need not be there.
    ///
    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject) throws(Refusal) {
        try body.allow(BroadcastFields.names)
        guard !body.members.isEmpty else {
            throw Refusal.badRequest(field: "title", "or another member must be there: nothing is to be changed")
        }
        let fields = BroadcastFields(body: body)
        self.init()
        audience = try fields.audience()
        kind = try fields.kind() ?? (body["kind"] == nil ? nil : NotificationFacts.broadcastKind)
        level = try fields.level()
        texts = try fields.texts()
        data = try fields.data() ?? (body["data"] == nil ? nil : [:])
        time = try fields.time()
        guard body["at"] == nil || time != nil else {
            throw Refusal.badRequest(
                field: "at", "must be a time: what waits for none is sent; cancel it and send another")
        }
        expires = try body["expires"] == nil ? .stays : .becomes(body.time("expires"))
        collapse = try body["collapse"] == nil ? .stays : .becomes(fields.collapse())
    }
}

/// The members that say what a broadcast is.
///
/// - Confinement: any
struct BroadcastFields {
    static let names = [
        "audience", "audiences", "users", "except", "title", "body", "kind", "level", "data", "at", "expires",
        "collapse",
    ]

    let body: JSONObject

    /// A member; nil where it is absent or `null`.
    private func value(_ name: String) -> JSONValue? {
        guard let value = body[name], !value.isNull else { return nil }
        return value
    }

    // MARK: People

    static let noAudience = Refusal.badRequest(
        field: "audience", "must be everyone, online, user:ID, or a topic such as person:525")

    /// One audience, or several with exceptions; nil where no member names any.
    func audience() throws(Refusal) -> BroadcastAudience? {
        let (listed, users, except) = (try list("audiences"), try users(), try list("except"))
        var audiences = listed ?? []
        if let value = body["audience"] {
            guard let audience = value.stringValue.flatMap({ BroadcastAudience($0) }) else { throw Self.noAudience }
            guard audience.isAddressable else { throw Self.unaddressable("audience") }
            audiences.append(audience)
        }
        guard body["audience"] != nil || listed != nil || users != nil || except != nil else { return nil }
        if audiences.count + (users ?? []).count == 1, (except ?? []).isEmpty {
            let only = audiences.first ?? users?.first.map { .user($0) }
            if let only, only.isSingle { return only }
        }
        return .several(try BroadcastScope(audiences, users: users ?? [], except: except ?? []))
    }

    private func list(_ field: String) throws(Refusal) -> [BroadcastAudience]? {
        guard let value = value(field) else { return nil }
        guard let items = value.arrayValue else {
            throw Refusal.badRequest(field: field, "must be a list of audiences")
        }
        var audiences: [BroadcastAudience] = []
        for (index, item) in items.enumerated() {
            guard let audience = item.stringValue.flatMap(BroadcastAudience.init(ofList:)) else {
                throw Refusal.badRequest(field: "\(field).\(index)", "must be \(BroadcastAudience.listForm)")
            }
            guard audience.isAddressable else { throw Self.unaddressable("\(field).\(index)") }
            audiences.append(audience)
        }
        return audiences
    }

    private static func unaddressable(_ field: String) -> Refusal {
        .badRequest(field: field, "must be a topic that a path can name: \(Topic.form)")
    }

    private func users() throws(Refusal) -> [UserID]? {
        guard let value = value("users") else { return nil }
        guard let items = value.arrayValue, items.count <= BroadcastLimits.namedMax else {
            throw Refusal.badRequest(field: "users", "must be a list of at most \(BroadcastLimits.namedMax) user ids")
        }
        var users: [UserID] = []
        for (index, item) in items.enumerated() {
            guard let user = item.stringValue.flatMap({ UserID($0) }) else {
                throw Refusal.badRequest(field: "users.\(index)", "must be \(UserID.form)")
            }
            users.append(user)
        }
        return users
    }

    // MARK: Words

    func time() throws(Refusal) -> BroadcastTime? {
        guard let value = value("at") else { return nil }
        guard let time = value.stringValue.flatMap(BroadcastTime.init) else {
            throw Refusal.badRequest(field: "at", "must be \(BroadcastTime.form)")
        }
        return time
    }

    func kind() throws(Refusal) -> String? {
        guard let value = value("kind") else { return nil }
        guard let kind = value.stringValue.flatMap(BroadcastOrder.kind) else {
            throw Refusal.badRequest(field: "kind", "must be \(BroadcastOrder.kindForm)")
        }
        return kind
    }

    func level() throws(Refusal) -> InterruptionLevel? {
        guard let value = body["level"] else { return nil }
        guard let level = value.stringValue.flatMap(InterruptionLevel.init(rawValue:)) else {
            let known = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal.badRequest(field: "level", "must be one of \(known)")
        }
        return level
    }

    func data() throws(Refusal) -> JSONObject? {
        guard let value = value("data") else { return nil }
        guard let object = value.objectValue else { throw Refusal.badRequest(field: "data", "must be an object") }
        return object
    }

    func collapse() throws(Refusal) -> String? {
        guard let value = value("collapse") else { return nil }
        guard let text = value.stringValue, (1...200).contains(text.count) else {
            throw Refusal.badRequest(field: "collapse", "must be 1 to 200 characters")
        }
        return text
    }

    /// Title and body, each a text or texts by language, joined language by language; nil where neither is there.
    ///
    /// A reader whose language the body lacks gets the title alone. A body in a language that the title lacks comes under the default
    /// title. A text without a language is for all.
    func texts() throws(Refusal) -> StoredTexts? {
        // On one line and without characters that steer a terminal or turn its direction, as templates write titles.
        let titles = try localized("title", max: Limits.titleCharactersMax) {
            TextCut.line($0, charactersMax: Limits.titleCharactersMax)
        }
        let bodies = try localized("body", max: Limits.bodyCharactersMax) { $0 }
        guard titles != nil || bodies != nil else { return nil }
        let title = titles ?? Localized(fallback: "")
        var text = bodies ?? Localized(fallback: "")
        let languages = Set(title.byLanguage.keys).union(text.byLanguage.keys)
        if titles != nil, !text.byLanguage.isEmpty {
            let first = title.byLanguage.isEmpty ? LanguageTag("en") : Self.defaultLanguage(body["title"])
            text = Localized(
                fallback: first.flatMap { text.inOwnLanguage($0) } ?? "", byLanguage: text.byLanguage)
        }
        let byLanguage = Dictionary(
            uniqueKeysWithValues: languages.map { ($0, NotificationText(title: title[$0], body: text[$0])) })
        return StoredTexts(
            Localized(
                fallback: NotificationText(title: title.fallback, body: text.fallback), byLanguage: byLanguage))
    }

    /// The language of the default text among texts by language: English, or else the first.
    private static func defaultLanguage(_ texts: JSONValue?) -> LanguageTag? {
        let tags = (texts?.objectValue?.members ?? []).compactMap { LanguageTag($0.name) }
        return tags.first { $0.text == "en" } ?? tags.first
    }

    private func localized(
        _ field: String, max: Int, _ clean: (String) -> String
    ) throws(Refusal) -> Localized<String>? {
        guard let value = value(field) else { return nil }
        if let text = value.stringValue { return Localized(fallback: clean(try Self.checked(text, field, max: max))) }
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
            byLanguage[tag] = clean(try Self.checked(text, "\(field).\(name)", max: max))
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

extension Localized<String> {
    /// The text in a language or a wider one; nil when only the default fits.
    fileprivate func inOwnLanguage(_ language: LanguageTag) -> String? {
        var wanted: LanguageTag? = language
        while let tag = wanted {
            if let text = byLanguage[tag] { return text }
            wanted = tag.wider
        }
        return nil
    }
}

extension BroadcastAudience {
    /// Whether a path can name its topic.
    fileprivate var isAddressable: Bool {
        switch self {
        case .everyone, .online, .room, .role, .several: true
        case .followers(let topic): topic.isAddressable
        case .user(let user): Topic(user: user).isAddressable
        }
    }
}
