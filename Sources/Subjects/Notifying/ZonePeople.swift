import Log
import Model
import Store
import Triggers

extension Tables {
    var zonePeople: ZonePeople<Access> { ZonePeople(access: access) }
}

/// Counts the people of an audience by their time zones. It visits each of them, so it is nothing for the writer.
///
/// - Confinement: store (a reader's thread)
struct ZonePeople<Access: ReadAccess>: StoredTable {
    let access: Access

    /// The people of an audience whose time zone is one of these.
    func count(of audience: Audience, in zones: [String]) throws -> Int64 {
        let isInZone = Self.condition(zones)
        switch audience {
        case .everyone: return try access.number("SELECT count(*) FROM users WHERE \(isInZone)", [])
        case .user(let user):
            return try access.number("SELECT count(*) FROM users WHERE name = ? AND \(isInZone)", [user.text])
        case .followers(let topic):
            guard let stream = try StreamTable(access: access).find(topic) else { return 0 }
            return try access.number(
                """
                SELECT count(*) FROM follows JOIN users ON users.id = follows.follower
                WHERE follows.stream = ? AND \(isInZone)
                """, [stream.id.value])
        case .several(let audiences):
            let streams = try audiences.compactMap { audience -> StreamID? in
                guard case .followers(let topic) = audience else { return nil }
                return try StreamTable(access: access).find(topic)?.id
            }
            return try access.number(
                """
                SELECT count(DISTINCT follows.follower) FROM follows JOIN users ON users.id = follows.follower
                WHERE follows.stream IN (\(streams.map { String($0.value) }.joined(separator: ","))) AND \(isInZone)
                """, [])
        case .chat: return 0
        }
    }

    /// The condition that the time zone of a user is one of these.
    static func condition(_ zones: [String]) -> String {
        let list = zones.map { "'" + $0.replacing("'", with: "''") + "'" }.joined(separator: ",")
        return "coalesce(users.zone, 'UTC') IN (\(list))"
    }
}
