import Model
import ThreadMessages

/// The users of one node with their sessions, in buckets: a message of a list has whole buckets, so each message mends
/// what was lost of its users, whatever becomes of the other messages of the list.
///
/// - Confinement: any
struct PresenceTable: Sendable {
    static let bucketCount = 1024

    private var buckets = [[StreamID: UserSessions]](repeating: [:], count: Self.bucketCount)
    /// Users with at least one session.
    private(set) var count = 0

    static func bucket(of user: StreamID) -> Int { Int(user.value & Int64(bucketCount - 1)) }

    /// The sessions of a user.
    func sessions(of user: StreamID) -> Int { buckets[Self.bucket(of: user)][user]?.count ?? 0 }

    mutating func set(_ user: UserSessions) {
        let (bucket, id) = (Self.bucket(of: user.person.id), user.person.id)
        let before = buckets[bucket].updateValue(user, forKey: id) != nil
        if user.count == 0 { buckets[bucket][id] = nil }
        count += (user.count == 0 ? 0 : 1) - (before ? 1 : 0)
    }

    /// The users of some buckets.
    func users(in range: Range<Int>) -> [UserSessions] { buckets[range].flatMap(\.values) }

    /// Every user.
    var all: [UserSessions] { users(in: 0..<Self.bucketCount) }
}

extension UserSessions {
    /// Bytes that it takes in a message, at most.
    var bytesMax: Int { person.name.text.utf8.count + 16 }
}
