package import ClientProtocol
import Execution
package import JSON
import Model
package import Store

/// The preferences of users who have chosen nothing: the member `preferences` of the configuration.
///
/// They stand in the rows of these users, with a mark that the users did not choose them, so readers of preferences
/// need not know of them. The first change by the user makes the whole object the user's own.
///
/// - Confinement: any
package struct DefaultPreferences: Sendable {
    /// The member of a stored object that says that the user has chosen nothing in it.
    static let marker = "default"

    /// The text in the rows of users.
    let stored: String
    /// The object without the mark.
    let chosen: JSONObject
    let preferences: DeliveryPreferences

    /// Reads an object as the command `preferences` takes it, without the language.
    ///
    /// - Throws: `Refusal` naming the member.
    package init(_ object: JSONObject) throws(Refusal) {
        guard object["locale"] == nil else {
            throw Refusal.badRequest(
                field: "locale",
                "has no default for everybody: each device gives its language in hello, or its user chooses one")
        }
        guard object[Self.marker] == nil else { throw PreferenceFields(prefix: "").unknown(Self.marker) }
        preferences = try DeliveryPreferences(object, prefix: "")
        chosen = object
        var marked = object
        marked[Self.marker] = true
        stored = JSONValue.object(marked).text
        guard stored.utf8.count <= PreferenceLimits.bytesMax else {
            throw Refusal(.tooLarge, "preferences have at most \(PreferenceLimits.bytesMax) bytes")
        }
    }

    /// The defaults in force; nil when none are configured.
    init?(in transaction: Transaction) throws {
        guard let stored = try transaction.preferences.defaults() else { return nil }
        var object = try StoredJSON.object(stored, place: "meta.default_preferences")
        object[Self.marker] = .none
        do { try self.init(object) } catch { throw StoredValueProblem(place: "meta.default_preferences") }
    }

    /// Whether they are the same as at the last start, and all users have them.
    package static func areInForce(_ defaults: DefaultPreferences?, in transaction: Transaction) throws -> Bool {
        try transaction.preferences.defaults() == defaults?.stored && transaction.preferences.spreadPlace() == nil
    }
}
