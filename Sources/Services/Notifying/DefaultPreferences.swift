package import ClientProtocol
package import JSON
import Model
package import Store

/// The preferences that everybody has who has not said anything: what the configuration has under `preferences`.
///
/// They stand in the rows of these users, marked as nobody's choice, so that whatever reads preferences needs not know of
/// them; the first own change makes the whole object the user's own.
///
/// - Confinement: any
package struct DefaultPreferences: Sendable {
    /// The member of a stored object that says that its owner has chosen nothing of it.
    static let marker = "default"

    /// As rows hold them.
    let stored: String
    /// The object itself.
    let chosen: JSONObject
    let preferences: DeliveryPreferences

    /// Reads the object that the command `preferences` takes, the language aside.
    ///
    /// - Throws: `Refusal` naming the member.
    package init(_ object: JSONObject) throws(Refusal) {
        guard object["locale"] == nil else {
            throw Refusal.badRequest(
                field: "locale",
                "has no default for everybody: each device gives its language in hello, or its user chooses one")
        }
        guard object[Self.marker] == nil else { throw PreferenceFields(prefix: "").unknown(Self.marker) }
        preferences = try PreferencesReading(object, prefix: "").preferences
        chosen = object
        var marked = object
        marked[Self.marker] = true
        stored = JSONValue.object(marked).text
        guard stored.utf8.count <= PreferenceLimits.bytesMax else {
            throw Refusal(.tooLarge, "preferences have at most \(PreferenceLimits.bytesMax) bytes")
        }
    }

    /// Those in force; nil where none are configured.
    init?(in transaction: Transaction) throws {
        guard let stored = try transaction.preferences.defaults() else { return nil }
        var object = try StoredJSON.object(stored, place: "meta.default_preferences")
        object[Self.marker] = .none
        do { try self.init(object) } catch { throw StoredValueProblem(place: "meta.default_preferences") }
    }

    /// Whether they are those of the last start, and all users have them.
    package static func areInForce(_ defaults: DefaultPreferences?, in transaction: Transaction) throws -> Bool {
        try transaction.preferences.defaults() == defaults?.stored && transaction.preferences.spreadPlace() == nil
    }
}
