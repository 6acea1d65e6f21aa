import ClientProtocol
import Execution
import Model
import Store
import Triggers

/// The people of a scope as the database has them now: those that get a row of their own, and the exceptions.
///
/// - Confinement: store
struct ScopePeople {
    let scope: BroadcastScope
    private(set) var named: Set<StreamID> = []
    private(set) var excepted: Set<StreamID> = []
    /// The users of the scope that the server does not know.
    private(set) var unknown: [UserID] = []

    /// - Parameter broadcast: the stored one whose people count, too; nil for one that is not stored yet.
    init(_ scope: BroadcastScope, storedOf broadcast: Int64? = nil, in transaction: Transaction) throws {
        self.scope = scope
        if let broadcast {
            named = Set(try transaction.broadcastPeople.all(.named, of: broadcast))
            excepted = Set(try transaction.broadcastPeople.all(.excepted, of: broadcast))
        }
        for user in scope.exceptUsers { excepted.formUnion(try number(of: user, in: transaction)) }
        for audience in scope.except {
            excepted.formUnion(try people(of: audience, followersToo: true, in: transaction))
        }
        for user in scope.users {
            let found = try number(of: user, in: transaction)
            if found.isEmpty { unknown.append(user) }
            named.formUnion(found)
        }
        for audience in scope.audiences {
            named.formUnion(try people(of: audience, followersToo: false, in: transaction))
        }
        named.subtract(excepted)
        // Everyone has them already.
        if scope.audiences.contains(.everyone) { named = [] }
    }

    /// The people that the first turn of a broadcast has found.
    init(resolved scope: BroadcastScope, as broadcast: Int64, in transaction: Transaction) throws {
        self.scope = scope
        named = Set(try transaction.broadcastPeople.all(.named, of: broadcast))
        excepted = Set(try transaction.broadcastPeople.all(.excepted, of: broadcast))
    }

    private func number(of user: UserID, in transaction: Transaction) throws -> [StreamID] {
        try transaction.users.number(of: user).map { [$0] } ?? []
    }

    private func people(
        of audience: BroadcastAudience, followersToo: Bool, in transaction: Transaction
    ) throws -> [StreamID] {
        switch audience {
        case .room(let room):
            guard let chat = try transaction.chats.find(room) else { return [] }
            return try transaction.chats.members(of: chat.id).map(\.user)
        case .role(let role): return try Self.holders(of: role, in: transaction)
        case .followers(let topic) where followersToo:
            guard let stream = try transaction.streams.find(topic) else { return [] }
            return try transaction.follows.followers(of: stream.id, after: .nobody, limit: BroadcastLimits.namedMax + 1)
                .map(\.id)
        case .everyone, .online, .followers, .user, .several: return []
        }
    }

    /// The people that documents give a role.
    private static func holders(of role: RoleName, in transaction: Transaction) throws -> [StreamID] {
        let collection = "roles/\(role.text)/users"
        var holders: [StreamID] = []
        var last = ""
        while true {
            let page = try transaction.documents.page(of: collection, after: last, limit: 500)
            for document in page {
                if let user = UserID(document.path.id), let id = try transaction.users.number(of: user) {
                    holders.append(id)
                }
            }
            guard page.count == 500, holders.count <= BroadcastLimits.namedMax, let end = page.last else {
                return holders
            }
            last = end.path.id
        }
    }

    // MARK: The bounds

    /// - Throws: `Refusal` naming the field when the writer would have to write too many rows.
    func check(in transaction: Transaction) throws {
        for case .room(let room) in scope.audiences where try transaction.chats.find(room) == nil {
            throw Refusal(.notFound, "there is no room \(room.text)", field: "audiences")
        }
        guard named.count <= BroadcastLimits.namedMax else {
            throw Refusal.badRequest(
                field: "audiences",
                "and users have at most \(BroadcastLimits.namedMax) people outside topics; let more people follow a topic"
            )
        }
        guard excepted.count <= BroadcastLimits.namedMax else {
            throw Refusal.badRequest(field: "except", "reaches at most \(BroadcastLimits.namedMax) people")
        }
    }

    // MARK: The number

    /// The number of people. Of topics that many follow it is the sum: to find those who follow two of them takes too long for the
    /// writer.
    func size(in transaction: Transaction, at now: Timestamp) throws -> Int64 {
        let others = try readers(in: transaction).count
        return Int64(named.count) + max(0, try sharedSize(in: transaction, at: now) - Int64(others))
    }

    private func sharedSize(in transaction: Transaction, at now: Timestamp) throws -> Int64 {
        switch scope.shared {
        case nil: return 0
        case .everyone: return try AudienceReading.sizeOfEveryone(in: transaction, at: now)
        case .some(let audience):
            let streams = try audience.parts.flatMap { try AudienceReading(transaction: transaction).streams(of: $0) }
            let topics = audience.parts.compactMap { part in if case .followers(let topic) = part { topic } else { nil }
            }
            let sum = try topics.reduce(0) { try $0 + (transaction.streams.find($1)?.followers ?? 0) }
            guard topics.count > 1, sum <= Int64(BroadcastLimits.namedMax) else { return sum }
            return try transaction.follows.size(ofFollowersOf: streams, and: [])
        }
    }

    /// The people who would read the shared row, though they have one of their own or are excepted.
    func readers(in transaction: Transaction) throws -> [StreamID] {
        switch scope.shared {
        case nil: return []
        case .everyone: return excepted.sorted()
        case .some(let audience):
            let streams = try AudienceReading(transaction: transaction).streams(of: audience)
            return try named.union(excepted).sorted().filter { person in
                try streams.contains { try transaction.follows.since(follower: person, stream: $0) != nil }
            }
        }
    }
}

// MARK: Slices

extension ScopePeople {
    /// The people in the order of their numbers, from one on, and the last one that was looked at; nil when none follow.
    func slice(
        after last: StreamID, limit: Int, in transaction: Transaction
    ) throws -> (people: [StreamID], next: StreamID?) {
        var found = Set(named.filter { $0 > last }.sorted().prefix(limit))
        var isMore = named.count { $0 > last } > limit
        func add(_ page: [StreamID]) {
            found.formUnion(page)
            isMore = isMore || page.count == limit
        }
        if scope.audiences.contains(.everyone) { add(try transaction.users.page(after: last, limit: limit).map(\.id)) }
        for case .followers(let topic) in scope.audiences {
            guard let stream = try transaction.streams.find(topic) else { continue }
            add(try transaction.follows.followers(of: stream.id, after: last, limit: limit).map(\.id))
        }
        let slice = found.sorted().prefix(limit)
        let isWhole = !isMore && found.count <= limit
        return (slice.filter { !excepted.contains($0) }, isWhole ? nil : slice.last)
    }
}
