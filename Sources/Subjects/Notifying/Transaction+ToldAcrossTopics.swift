package import Model
package import Store

extension Transaction {
    /// The other streams through which a trigger that notifies each person once across topics has notified already.
    /// Their readers are not notified again. A notification that replaces an earlier one always goes to the readers
    /// of the earlier one.
    ///
    /// - Parameters:
    ///   - collapse: the `collapse` of the notification.
    ///   - zones: the names of the time zones that the notification is for; empty for all.
    ///   - own: the streams of the new notification.
    package func told(
        by trigger: String, of collapse: String, in zones: [String], otherThan own: [StreamID]
    ) throws -> [StreamID] {
        var told: Set<StreamID> = []
        for earlier in try notifications.live(acrossTopics: trigger, collapse: collapse)
        where earlier.zones.isEmpty || zones.isEmpty || earlier.zones.contains(where: zones.contains) {
            let streams = try notifications.streams(of: earlier)
            guard streams.allSatisfy({ !own.contains($0) }) else {
                return try entryStreams.told(of: earlier.position).filter { !own.contains($0) }
            }
            told.formUnion(streams)
        }
        // The stream of everyone has no followers.
        return told.subtracting([.everyone]).sorted()
    }
}
