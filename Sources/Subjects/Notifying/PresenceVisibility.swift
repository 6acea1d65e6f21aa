import Execution
import JSON
import Model
import Store

/// Whether a user shows their presence to anybody.
///
/// - Confinement: any
package enum PresenceVisibility {
    /// - Parameter stored: the preferences in the user's row. A text that cannot be read hides nobody.
    package static func isHidden(_ stored: String?) -> Bool {
        guard let stored, let chosen = try? StoredJSON.object(stored, place: "users.preferences") else { return false }
        return isHidden(chosen)
    }

    /// - Parameter chosen: the preferences that the user has set.
    static func isHidden(_ chosen: JSONObject) -> Bool { chosen["presence"] == "nobody" }
}
