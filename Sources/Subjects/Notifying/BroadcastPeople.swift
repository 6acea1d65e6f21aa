import Log
import Model
import Store

extension Tables {
    var broadcastPeople: BroadcastPeople<Access> { BroadcastPeople(access: access) }
}

/// The people whom broadcasts to several audiences name: those that get a row in the inbox, and the exceptions.
///
/// - Confinement: store
struct BroadcastPeople<Access: ReadAccess>: StoredTable {
    let access: Access

    /// The part of a person in a broadcast.
    enum Part: Int64 {
        case named = 0
        case excepted = 1
    }

    /// The people of a part, in the order of their numbers.
    func all(_ part: Part, of broadcast: Int64) throws -> [StreamID] {
        try access.all(
            "SELECT user FROM broadcast_people WHERE broadcast = ? AND part = ? ORDER BY user",
            [broadcast, part.rawValue]
        ) { try $0[0] }
    }

    /// How many people are named, and how many of them have got it.
    func counts(of broadcast: Int64) throws -> (named: Int64, reached: Int64) {
        try access.first(
            "SELECT count(*), count(seq) FROM broadcast_people WHERE broadcast = ? AND part = 0", [broadcast]
        ) { try ($0[0], $0[1]) } ?? (0, 0)
    }

    /// Those who wait for it, in the order of their numbers.
    ///
    /// - Parameter zones: only those whose time zone is one of these; nil for all.
    func waiting(_ broadcast: Int64, in zones: [String]?, limit: Int) throws -> [(id: StreamID, name: UserID)] {
        let isInZone = zones.map { "AND \(ZonePeople<Access>.condition($0))" } ?? ""
        return try access.all(
            """
            SELECT users.id, users.name FROM broadcast_people p JOIN users ON users.id = p.user
            WHERE p.broadcast = ? AND p.part = 0 AND p.seq IS NULL \(isInZone) ORDER BY p.user LIMIT ?
            """, [broadcast, limit]
        ) { row in
            guard let name = try UserID(stored: row[1]) else { throw StoredValueProblem(place: "users.name") }
            return try (row[0], name)
        }
    }

    /// Those whose notification was written and not taken back, with its position, in the order of their numbers.
    func reached(_ broadcast: Int64, limit: Int) throws -> [(user: StreamID, position: Position)] {
        try access.all(
            """
            SELECT user, seq FROM broadcast_people WHERE broadcast = ? AND seq IS NOT NULL AND gone = 0
            ORDER BY user LIMIT ?
            """, [broadcast, limit]
        ) { try ($0[0], $0[1]) }
    }

    /// The pushes of their notifications.
    func pushes(of broadcast: Int64) throws -> (pushed: Int64, skipped: Int64, failed: Int64, open: Int64) {
        try access.first(
            """
            SELECT coalesce(sum(j.pushed), 0), coalesce(sum(j.skipped), 0), coalesce(sum(j.failed), 0),
            coalesce(sum(j.state <> 'ended'), 0) FROM broadcast_people p JOIN push_jobs j ON j.seq = p.seq
            WHERE p.broadcast = ? AND p.seq IS NOT NULL AND j.kind = 'notification'
            """, [broadcast]
        ) { try ($0[0], $0[1], $0[2], $0[3]) } ?? (0, 0, 0, 0)
    }
}

extension BroadcastPeople where Access == WriteAccess {
    /// Keeps people, without those that are erased; an exception counts more than a name.
    func put(
        _ people: some Sequence<StreamID>, _ part: Part, of broadcast: Int64, in transaction: WriteTransaction
    ) throws {
        for user in people where try !transaction.erasures.isErased(user) {
            try access.run(
                """
                INSERT INTO broadcast_people(broadcast, user, part) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET part = max(part, excluded.part)
                """, [broadcast, user.value, part.rawValue])
        }
    }

    /// Keeps the people that a scope names itself. Its rooms, roles and topics are looked at when it is sent.
    func put(_ scope: BroadcastScope, of broadcast: Int64, in transaction: WriteTransaction) throws {
        for (users, part) in [(scope.users, Part.named), (scope.exceptUsers, .excepted)] {
            let people = try users.compactMap { try transaction.users.number(of: $0) }
            try put(people, part, of: broadcast, in: transaction)
        }
    }

    /// The people of a broadcast are others from here on.
    func clear(_ broadcast: Int64) throws {
        try access.run("DELETE FROM broadcast_people WHERE broadcast = ?", [broadcast])
    }

    /// A person has the notification at a position; nil for nobody's, of a person who cannot get any.
    func note(_ position: Position?, of user: StreamID, _ broadcast: Int64) throws {
        guard let position else {
            return try access.run(
                "DELETE FROM broadcast_people WHERE broadcast = ? AND user = ?", [broadcast, user.value])
        }
        try access.run(
            "UPDATE broadcast_people SET seq = ? WHERE broadcast = ? AND user = ?",
            [position.value, broadcast, user.value])
    }

    /// The notification of a person was taken back.
    func noteGone(_ user: StreamID, _ broadcast: Int64) throws {
        try access.run(
            "UPDATE broadcast_people SET gone = 1 WHERE broadcast = ? AND user = ?", [broadcast, user.value])
    }
}
