import JSON
package import Model
package import Store
package import Triggers

/// The people of an audience: their number, some of them, and whether one person is among them.
///
/// - Confinement: store
package struct AudienceReading {
    package let transaction: Transaction

    package init(transaction: Transaction) { self.transaction = transaction }

    /// Whether a person is in an audience, and how that is known.
    package struct Membership {
        package let isIn: Bool
        /// A sentence for people.
        package let says: String
        /// The position since which that is so, if it has one.
        package var since: Position?
        /// Whether the person is left out for blocking the writer.
        package var isBlocked = false

        package init(isIn: Bool, says: String, since: Position? = nil) {
            self.isIn = isIn
            self.says = says
            self.since = since
        }
    }

    /// The number of people that it reaches.
    package func size(of audience: Audience, at now: Timestamp) throws -> Int64 {
        switch audience {
        case .everyone: return try Self.sizeOfEveryone(in: transaction, at: now)
        case .followers(let topic): return try transaction.streams.find(topic)?.followers ?? 0
        case .user: return 1
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return 0 }
            return Int64(try transaction.chats.members(of: entry.id).count)
        case .several(let audiences):
            return try transaction.follows.size(
                ofFollowersOf: topicStreams(audiences), and: inboxes(audiences))
        }
    }

    /// The number of people who may come in.
    static func sizeOfEveryone(in transaction: Transaction, at now: Timestamp) throws -> Int64 {
        try transaction.users.count() - transaction.restrictions.countKeptOut(at: now)
    }

    /// The streams of the topics among several audiences, where they exist.
    private func topicStreams(_ audiences: [Audience]) throws -> [StreamID] {
        try audiences.filter(\.isTopic).flatMap(streams)
    }

    /// The inboxes of people whom several audiences name, or who are in one of their chats.
    private func inboxes(_ audiences: [Audience]) throws -> [StreamID] {
        try audiences.filter { !$0.isTopic }.flatMap(streams)
    }

    /// Some of its people, at most `limit`, without people whom the server does not know yet.
    package func people(of audience: Audience, limit: Int) throws -> [UserEntry] {
        let users = transaction.users
        switch audience {
        case .everyone: return try users.page(after: .nobody, limit: limit)
        case .user(let user): return try users.find(user).map { [$0] } ?? []
        case .followers(let topic):
            guard let stream = try transaction.streams.find(topic) else { return [] }
            let followers = try transaction.follows.followers(of: stream.id, after: .nobody, limit: limit)
            return try followers.compactMap { try users.find($0.id) }
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return [] }
            return try transaction.chats.members(of: entry.id).prefix(limit).compactMap { try users.find($0.user) }
        case .several(let audiences):
            var known: Set<StreamID> = []
            let all = try audiences.flatMap { try people(of: $0, limit: limit) }
            return Array(all.filter { known.insert($0.id).inserted }.prefix(limit))
        }
    }

    /// The streams in which its notifications lie, where they exist.
    package func streams(of audience: Audience) throws -> [StreamID] {
        switch audience {
        case .everyone: return [.everyone]
        case .user(let user): return try transaction.users.number(of: user).map { [$0] } ?? []
        case .followers(let topic): return try transaction.streams.find(topic).map { [$0.id] } ?? []
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return [] }
            return try transaction.chats.members(of: entry.id).map(\.user)
        case .several(let audiences):
            var known: Set<StreamID> = []
            return try audiences.flatMap(streams).filter { known.insert($0).inserted }
        }
    }

    /// The number of rows that a notification to it needs: the topics of several audiences share one.
    package func rowCount(of audience: Audience) throws -> Int {
        guard case .several(let audiences) = audience else { return max(1, try streams(of: audience).count) }
        return Set(try inboxes(audiences)).count + (audiences.contains(where: \.isTopic) ? 1 : 0)
    }

    /// Whether `user` is in it.
    ///
    /// - Parameter position: the position of a notification that was sent, which the user got only as a member at that
    ///   time; nil for now.
    package func membership(of user: UserEntry, in audience: Audience, at position: Position?) throws -> Membership {
        let name = user.name.text
        switch audience {
        case .user(let other):
            let isIn = other == user.name
            return Membership(isIn: isIn, says: isIn ? "it is only for \(name)" : "it is only for \(other.text)")
        case .everyone:
            guard let position, user.since >= position else {
                return Membership(isIn: true, says: "it is for everyone", since: user.since)
            }
            return Membership(isIn: false, says: "\(name) has been known only since seq \(user.since), after it")
        case .chat(let chat):
            let members = try transaction.chats.find(chat).map { try transaction.chats.members(of: $0.id) } ?? []
            let isIn = members.contains { $0.user == user.id }
            return Membership(isIn: isIn, says: "\(name) is \(isIn ? "" : "not ")a member of the chat \(chat.text)")
        case .followers(let topic):
            return try follows(user, topic, at: position)
        case .several(let audiences):
            let all = try audiences.map { try membership(of: user, in: $0, at: position) }
            return all.first(where: \.isIn)
                ?? Membership(isIn: false, says: all.map(\.says).joined(separator: "; "))
        }
    }

    /// Whether a user, who may be unknown to the server, is in the audience now.
    package func membership(of user: UserID, _ entry: UserEntry?, in audience: Audience) throws -> Membership {
        if let entry { return try membership(of: entry, in: audience, at: nil) }
        guard audience.parts.contains(.user(user)) else {
            return Membership(isIn: false, says: "the server does not know \(user.text)")
        }
        return Membership(isIn: true, says: "it is only for \(user.text)")
    }

    private func follows(_ user: UserEntry, _ topic: Topic, at position: Position?) throws -> Membership {
        let name = user.name.text
        guard let stream = try transaction.streams.find(topic) else {
            return Membership(isIn: false, says: "nobody follows \(topic.text)")
        }
        let since = try transaction.follows.since(follower: user.id, stream: stream.id)
        if let since, position.map({ since < $0 }) ?? true {
            return Membership(isIn: true, says: "\(name) has followed \(topic.text) since seq \(since)", since: since)
        }
        let past = try transaction.follows.past(follower: user.id, stream: stream.id)
        if let position, let then = past.first(where: { $0.since < position && position < $0.until }) {
            return Membership(
                isIn: true,
                says: "\(name) followed \(topic.text) from seq \(then.since) to \(then.until)",
                since: then.since
            )
        }
        if let since {
            return Membership(isIn: false, says: "\(name) has followed \(topic.text) only since seq \(since), after it")
        }
        if let last = past.first {
            let then = position.map { last.until < $0 ? "before it" : "after it" } ?? "since"
            return Membership(
                isIn: false,
                says: "\(name) no longer follows \(topic.text): ended at seq \(last.until), \(then)"
            )
        }
        return Membership(isIn: false, says: "\(name) does not follow \(topic.text)")
    }
}

extension AudienceReading.Membership {
    /// The membership of a user who blocks the writer of the change.
    package static func blocked(_ user: UserEntry) -> Self {
        var membership = Self(isIn: false, says: "blocked: \(user.name.text) blocks the writer of the change")
        membership.isBlocked = true
        return membership
    }

    /// The membership of a user who got one with the same `collapse` through another topic, if a row notifies each
    /// person once.
    package static func toldByAnother(_ user: UserEntry) -> Self {
        Self(isIn: false, says: "\(user.name.text) got one with the same collapse through another topic")
    }
}

extension Audience {
    /// Whether it is the followers of a topic.
    fileprivate var isTopic: Bool {
        if case .followers = self { true } else { false }
    }
}
