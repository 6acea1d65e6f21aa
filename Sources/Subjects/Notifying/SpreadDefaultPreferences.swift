package import Execution
import JSON
import Model
import Store

/// Gives the configured preferences to users who have chosen nothing, or takes earlier ones away: a slice of the users
/// at a time, while the server starts. If the process stops, the next start goes on with the next slice.
///
/// - Confinement: any
package struct SpreadDefaultPreferences: WriteUseCase {
    private let defaults: DefaultPreferences?

    /// Users in a slice, which takes about 20 ms.
    private static let batch = 500

    /// - Parameter defaults: nil when none are configured.
    package init(_ defaults: DefaultPreferences?) { self.defaults = defaults }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let table = context.transaction.preferences
        if try table.defaults() != defaults?.stored { try table.setDefaults(defaults?.stored) }
        guard let place = try table.spreadPlace() else { return .none }
        let users = try table.undecided(after: place, limit: Self.batch)
        let preferences = try defaults?.preferences ?? DeliveryPreferences([:], prefix: "")
        if !users.isEmpty {
            var digests = WaitingDigests(in: context)
            let position = try context.transaction.appendSilently()
            for id in users {
                guard let user = try context.transaction.users.find(id), user.preferences != defaults?.stored else {
                    continue
                }
                try table.change(to: defaults?.stored, of: id, at: position)
                try digests.arrange(of: id, preferences, before: user.preferences)
                try context.transaction.topicCounts.zoneChanged(user, at: context.transaction.head)
            }
        }
        try table.setSpreadPlace(users.count == Self.batch ? users.last : nil)
        return .none
    }
}
