import ClientProtocol
import Execution
package import JSON
import Model
import Store

/// The preferences as the user sees them: an object with all members, chosen or not.
///
/// Only the chosen members are stored. The language has a column of its own.
///
/// - Confinement: any
package struct PreferencesDocument: UseCaseAnswer {
    let locale: LanguageTag?
    /// The chosen members, in the form in which they are set; empty for nearly everybody.
    let chosen: JSONObject
    /// The text for the row; nil when nothing was chosen.
    let stored: String?
    /// Whether these are the configured defaults.
    let isDefault: Bool

    /// - Parameter keepsEmpty: whether an empty object is a choice, too, because there are defaults.
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
        for (name, unchosen) in DeliveryPreferences.members { object[name] = chosen[name] ?? unchosen }
        return object
    }

    package func write(to reply: inout JSONWriter) {
        for (name, value) in json.members { reply.member(name, value) }
    }
}

/// The preferences in a user's row, read when somebody first asks what they say.
///
/// A user may change them often, and have many sessions; a change costs a session nothing until the next notification. All
/// sessions of the user on a loop share one, and so read the text once.
///
/// - Confinement: the thread that made it (a loop, or a store's)
package final class StoredPreferences {
    package let text: String
    /// The choices about notifications; nil when none of them keeps one from interrupting.
    package private(set) lazy var deciding = DeliveryPreferences.stored(text)
    /// The name of the time zone.
    package private(set) lazy var zone = DeliveryPreferences.zone(ofStored: text)

    /// - Parameter text: the text in the row.
    package init(_ text: String) { self.text = text }
}

@available(*, unavailable)
extension StoredPreferences: Sendable {}

extension DeliveryPreferences {
    /// Reads the text in a row of the users' table; nil when nothing in it keeps a notification from interrupting.
    ///
    /// A text that cannot be read counts as absent: a damaged row must not keep a message from anybody.
    package static func stored(_ text: String?) -> DeliveryPreferences? {
        guard let text, let chosen = try? StoredJSON.object(text, place: "users.preferences"),
            let preferences = try? DeliveryPreferences(chosen, prefix: ""), preferences.decidesAnything
        else { return nil }
        return preferences
    }

    /// The name of the time zone in the preferences of a user's row; `UTC` when none is chosen.
    package static func zone(ofStored text: String?) -> String {
        let chosen = text.flatMap { try? StoredJSON.object($0, place: "users.preferences") }
        return chosen?["timeZone"]?.stringValue ?? ZoneClock.utc.name
    }

    private var decidesAnything: Bool {
        quietHours != nil || muteAll != nil || !mutedTopics.isEmpty || !mutedKinds.isEmpty || !mutedChats.isEmpty
            || levels != DeliveryPreferences.allLevels || !levelsByKind.isEmpty || !digests.isEmpty
    }
}
