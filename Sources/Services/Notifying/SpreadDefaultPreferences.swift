package import JSON
import Model
import Store

/// Gives the configured preferences to those who have chosen nothing, or takes away those that were configured before: a
/// slice of the users at a time, while the server starts. A process that is stopped between two goes on with the next.
///
/// - Confinement: any
package struct SpreadDefaultPreferences: WriteUseCase {
    private let defaults: DefaultPreferences?

    /// Users in a slice: some 20 ms.
    private static let batch = 500

    /// - Parameter defaults: nil where none are configured.
    package init(_ defaults: DefaultPreferences?) { self.defaults = defaults }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let table = context.transaction.preferences
        if try table.defaults() != defaults?.stored { try table.setDefaults(defaults?.stored) }
        guard let place = try table.spreadPlace() else { return }
        let users = try table.undecided(after: place, limit: Self.batch)
        let preferences = try defaults?.preferences ?? PreferencesReading([:], prefix: "").preferences
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
        if users.count == Self.batch { reply.member(DueBatch.isMoreDue, true) }
    }
}
