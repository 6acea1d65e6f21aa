import ClientProtocol
package import Execution
package import Model
import Store

/// `preferences` without `set`, and `GET /v1/users/ID/preferences`.
///
/// - Confinement: any
package struct ReadPreferences: ReadUseCase {
    private let whose: UserID?

    /// - Parameter user: the user whose preferences are read; nil for the asking user.
    package init(of user: UserID? = nil) { whose = user }

    package func perform(in context: ReadContext) throws -> PreferencesDocument {
        guard let whose else { return try PreferencesDocument(context.user()) }
        guard let user = try context.transaction.users.find(whose) else {
            throw Refusal.noUser(whose)
        }
        return try PreferencesDocument(user)
    }
}
