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
            let position = try context.transaction.appendSilently()
            for id in users {
                guard let user = try context.transaction.users.find(id), user.preferences != defaults?.stored else {
                    continue
                }
                try table.change(to: defaults?.stored, of: id, at: position)
                try context.arrangeDigests(of: id, preferences, before: user.preferences)
                try context.transaction.topicCounts.zoneChanged(user, at: context.transaction.head)
            }
        }
        try table.setSpreadPlace(users.count == Self.batch ? users.last : nil)
        if users.count == Self.batch { reply.member(DueBatch.isMoreDue, true) }
    }
}

extension WriteContext {
    /// The user's number; who was not known yet begins with the configured preferences.
    func number(of name: UserID) throws -> StreamID {
        if let id = try transaction.users.number(of: name) { return id }
        let id = try transaction.users.findOrMake(name, at: transaction.head)
        guard let defaults = try transaction.preferences.defaults() else { return id }
        try transaction.preferences.begin(with: defaults, of: id)
        if let preferences = DeliveryPreferences.stored(defaults) {
            try arrangeDigests(of: id, preferences, before: nil)
        }
        return id
    }
}
