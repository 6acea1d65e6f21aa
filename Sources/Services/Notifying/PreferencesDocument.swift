import ClientProtocol
package import JSON
import Model
import Store

/// The preferences as their owner sees them: an object whose members are all there, whether he chose or not.
///
/// Only what he chose is stored, except the language, which has a column of its own.
///
/// - Confinement: any
package struct PreferencesDocument: UseCaseAnswer {
    let locale: LanguageTag?
    /// What he chose, in the form in which it is set; empty for nearly everybody.
    let chosen: JSONObject
    /// What stands in the row; nil when nothing was chosen.
    let stored: String?
    /// Whether it is what is configured for those who choose nothing.
    let isDefault: Bool

    /// - Parameter keepsEmpty: whether nothing is a choice, too, since there is a default.
    init(locale: LanguageTag?, chosen: JSONObject, isDefault: Bool = false, keepsEmpty: Bool = false) {
        self.locale = locale
        self.chosen = chosen
        self.isDefault = isDefault
        var row = chosen
        if isDefault { row[DefaultPreferences.marker] = true }
        stored = row.isEmpty && !keepsEmpty ? nil : JSONValue.object(row).text
    }

    /// - Throws: `StoredValueProblem` when the row is damaged.
    init(_ user: UserEntry) throws {
        locale = user.language
        var row = try user.preferences.map { try StoredJSON.object($0, place: "users.preferences") } ?? [:]
        isDefault = row[DefaultPreferences.marker] != nil
        row[DefaultPreferences.marker] = .none
        chosen = row
        stored = user.preferences
    }

    var json: JSONObject {
        var object: JSONObject = ["locale": locale.map { .string($0.text) } ?? .null]
        for (name, unchosen) in PreferencesReading.members { object[name] = chosen[name] ?? unchosen }
        return object
    }

    package func write(to reply: inout JSONWriter) {
        for (name, value) in json.members { reply.member(name, value) }
    }
}

extension DeliveryPreferences {
    /// What a row of the users' table says; nil when nothing in it keeps a notification from interrupting.
    ///
    /// What cannot be read is taken as not there: a damaged row must not keep a message from anybody.
    package static func stored(_ text: String?) -> DeliveryPreferences? {
        guard let text, let chosen = try? StoredJSON.object(text, place: "users.preferences"),
            let preferences = try? PreferencesReading(chosen, prefix: "").preferences, preferences.decidesAnything
        else { return nil }
        return preferences
    }

    /// The name of the time zone among preferences as they stand in the user's row; `UTC` where none is chosen.
    package static func zone(ofStored text: String?) -> String {
        let chosen = text.flatMap { try? StoredJSON.object($0, place: "users.preferences") }
        return chosen?["timeZone"]?.stringValue ?? ZoneClock.utc.name
    }

    private var decidesAnything: Bool {
        quietHours != nil || muteAll != nil || !mutedTopics.isEmpty || !mutedKinds.isEmpty || !mutedChats.isEmpty
            || levels != PreferencesReading.allLevels || !levelsByKind.isEmpty || !digests.isEmpty
    }
}
