package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `preferences` with `set`, and `PUT` and `PATCH /v1/users/ID/preferences`: changes the preferences of a user. The
/// answer is always the whole object.
///
/// - Confinement: any
package struct ChangePreferences: WriteUseCase {
    private let whose: UserID?
    private let change: Change
    package let key: WriteKey?

    private enum Change: Sendable {
        /// A merge patch (RFC 7396): members that it does not name stay, and null deletes a member.
        case merge(JSONObject)
        case replace(JSONObject)
    }

    /// A user changes their own preferences.
    ///
    /// - Throws: `Refusal` naming `set.FIELD` for an unknown preference.
    package init(_ set: JSONObject, key: WriteKey? = nil) throws(Refusal) {
        whose = nil
        change = .merge(set)
        self.key = key
        try check(set)
    }

    /// The application changes the preferences of a user.
    ///
    /// - Throws: `Refusal` naming the field of an unknown preference.
    package init(_ object: JSONObject, of user: UserID, replacing: Bool, key: WriteKey?) throws(Refusal) {
        whose = user
        change = replacing ? .replace(object) : .merge(object)
        self.key = key
        try check(object)
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("preferences")
        fingerprint.add(whose?.text)
        switch change {
        case .merge(let object):
            fingerprint.add("merge")
            fingerprint.add(JSONValue.object(object).text)
        case .replace(let object):
            fingerprint.add("replace")
            fingerprint.add(JSONValue.object(object).text)
        }
    }

    package func perform(in context: WriteContext) throws -> PreferencesDocument {
        let transaction = context.transaction
        var notifier = Notifier(in: context)
        let id = try whose.map { try notifier.inbox(of: $0) } ?? context.user().id
        let user = try transaction.reading.storedUser(id)
        let before = try PreferencesDocument(user)
        let defaults = try DefaultPreferences(in: transaction.reading)
        let (after, preferences) = try changed(before, defaults, at: context.now)
        if after.locale != before.locale || after.chosen != before.chosen || after.isDefault != before.isDefault {
            let position = transaction.nextPosition
            if after.locale != before.locale { try transaction.users.setLanguage(after.locale, of: id) }
            if after.chosen != before.chosen || after.isDefault != before.isDefault {
                try transaction.preferences.change(to: after.stored, of: id, at: position)
                try notifier.digests.arrange(of: id, preferences, before: user.preferences)
            }
            if after.chosen["timeZone"] != before.chosen["timeZone"] {
                try transaction.topicCounts.zoneChanged(user, at: transaction.head)
                context.countsChanged(of: id)
            }
            let encoded = JSONValue.object(after.json).bytes
            let event = Event.preferences(seq: position, encoded: encoded, key: whose == nil ? key : nil)
            try transaction.append(event, to: id)
            transaction.note(.language(user: id, language: after.locale))
            transaction.note(
                .preferences(user: id, stored: after.stored, isHidden: PresenceVisibility.isHidden(after.chosen)))
        }
        return after
    }

    private var prefix: String { whose == nil ? "set." : "" }

    /// Checks what can be checked before the writer gets it: preferences that are too large must not cost the writer
    /// time.
    private func check(_ object: JSONObject) throws(Refusal) {
        guard JSONValue.object(object).bytes.count <= PreferenceLimits.bytesMax else { throw tooLarge }
        let fields = PreferenceFields(prefix: prefix)
        for (name, _) in object.members where name != "locale" {
            guard DeliveryPreferences.members.contains(where: { $0.key == name }) else { throw fields.unknown(name) }
        }
        _ = try locale(object)
    }

    private func locale(_ object: JSONObject) throws(Refusal) -> LanguageTag? {
        guard let value = object["locale"], !value.isNull else { return nil }
        guard let tag = value.stringValue.flatMap({ LanguageTag($0) }) else {
            throw Refusal.badRequest(field: "\(prefix)locale", "must be \(LanguageTag.form), or null")
        }
        return tag
    }

    /// - Throws: `Refusal` naming the field.
    private func changed(
        _ before: PreferencesDocument,
        _ defaults: DefaultPreferences?,
        at now: Timestamp
    ) throws -> (PreferencesDocument, DeliveryPreferences) {
        var old = JSONObject()
        let patch: JSONObject
        switch change {
        case .replace(let object): patch = object
        case .merge(let object):
            patch = object
            old = before.chosen
            if let locale = before.locale { old["locale"] = .string(locale.text) }
        }
        var object = JSONValue.object(old).merged(with: .object(patch)).objectValue ?? [:]
        let locale = try locale(object)
        object["locale"] = .none
        let preferences = try DeliveryPreferences(object, prefix: prefix)
        let chosen = object.withoutPastMutes(at: now)
        if let defaults {
            // A user who changes nothing in the defaults has chosen nothing. A user whose preferences are replaced by
            // an empty object has the defaults again.
            if before.isDefault, chosen == before.chosen.withoutPastMutes(at: now) {
                return (PreferencesDocument(locale: locale, chosen: before.chosen, isDefault: true), preferences)
            }
            if case .replace = change, chosen.isEmpty {
                return (
                    PreferencesDocument(locale: locale, chosen: defaults.chosen, isDefault: true), defaults.preferences
                )
            }
        }
        let document = PreferencesDocument(locale: locale, chosen: chosen, keepsEmpty: defaults != nil)
        guard document.stored?.utf8.count ?? 0 <= PreferenceLimits.bytesMax else {
            throw tooLarge
        }
        return (document, preferences)
    }

    private var tooLarge: Refusal {
        Refusal(
            .tooLarge,
            "preferences have at most \(PreferenceLimits.bytesMax) bytes",
            field: whose == nil ? "set" : nil
        )
    }
}

extension JSONObject {
    /// The same without mutes that are over, and without members that are then empty. Each member has its form, because
    /// it was checked before.
    fileprivate func withoutPastMutes(at now: Timestamp) -> JSONObject {
        var object = self
        var mute = object["mute"]?.objectValue ?? [:]
        func isOver(_ value: JSONValue) -> Bool {
            value.stringValue.flatMap { Timestamp($0) }.map { $0 <= now } ?? false
        }
        if let all = mute["all"], isOver(all) { mute["all"] = .none }
        for name in ["topics", "kinds", "chats"] {
            let standing = (mute[name]?.objectValue ?? [:]).members.filter { !isOver($0.value) }
            mute[name] = standing.isEmpty ? .none : .some(.object(JSONObject(distinct: standing)))
        }
        object["mute"] = mute.isEmpty ? .none : .some(.object(mute))
        for name in ["kinds", "digest"] where object[name]?.objectValue?.isEmpty == true { object[name] = .none }
        return object
    }
}

extension PreferencesCommand: AnsweredCommand {
    package var work: CommandWork {
        get throws(Refusal) {
            if let set { .write(try ChangePreferences(set, key: key)) } else { .read(ReadPreferences()) }
        }
    }
}
