import Execution
import JSON

/// The people who may bring a user into a room without asking.
///
/// - Confinement: any
package enum InvitePreference: String, Sendable {
    /// Those whom the user follows, and those to whom the user has written. Others may ask.
    case contacts
    /// Nobody, and nobody may ask.
    case nobody
    /// Everybody.
    case all

    /// The words, for error messages.
    static let form = "contacts, nobody or all"

    /// - Parameter stored: the preferences in the user's row. A text that cannot be read counts as absent.
    package init(stored: String?) {
        let chosen = stored.flatMap { try? StoredJSON.object($0, place: "users.preferences") }
        self = chosen?["invites"]?.stringValue.flatMap(Self.init) ?? .contacts
    }
}
