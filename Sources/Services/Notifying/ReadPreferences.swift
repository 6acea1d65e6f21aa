import ClientProtocol
package import JSON
package import Model
import Store

/// `preferences` without `set`, and `GET /v1/users/ID/preferences`.
///
/// - Confinement: any
package struct ReadPreferences: ReadUseCase {
    private let whose: UserID?

    /// - Parameter user: whose; nil for those of the user who asks.
    package init(of user: UserID? = nil) { whose = user }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        guard let whose else { return try PreferencesDocument(context.user()).write(to: &reply) }
        guard let user = try context.transaction.users.find(whose) else {
            throw Refusal(.notFound, "there is no user \(whose.text)", field: "user")
        }
        try PreferencesDocument(user).write(to: &reply)
    }
}
