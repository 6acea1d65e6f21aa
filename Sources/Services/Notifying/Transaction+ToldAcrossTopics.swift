import Model
import Store

extension Transaction {
    /// The streams beside some by which a trigger that tells each person once across topics has told of something: who reads
    /// one of them is not told again. What replaces a notification is for those who had that, whoever was told since.
    ///
    /// - Parameters:
    ///   - collapse: what it is about.
    ///   - zones: the time zones of those who are to be told, by their names; empty for all.
    ///   - own: the streams in which they are to be told.
    func told(
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
        // Everyone's is followed by nobody: it tells of no follow.
        return told.subtracting([.everyone]).sorted()
    }
}
