package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `POST /v1/broadcasts` with `dryRun`: the number of people that it would reach, its texts, and how a slice of the people would
/// get it.
///
/// A look at each of a million people takes longer than others may wait for a reader, so each call looks at one slice and says
/// where the next begins; the caller adds them up.
///
/// - Confinement: any
package struct PreviewBroadcast: ReadUseCase {
    let order: BroadcastOrder
    let online: OnlineUsers
    /// The number of the last person of the slice before; 0 for the first slice.
    let after: Int64
    /// The people of a slice.
    let limit: Int

    /// - Parameter after: The member `next` of the slice before; nil for the first slice.
    /// - Throws: `Refusal` naming the field `after`.
    package init(
        _ order: BroadcastOrder, online: OnlineUsers = .none, after: String? = nil,
        limit: Int = BroadcastLimits.previewSlice
    ) throws(Refusal) {
        self.order = order
        self.online = online
        self.after = try Cursor.number(after, field: "after") ?? 0
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        try order.check(at: context.now)
        let transaction = context.transaction
        let people = try order.audience.scope.map { try ScopePeople($0, in: transaction) }
        try people?.check(in: transaction)
        let size = try order.audience.size(in: transaction, online: online.count, at: context.now)
        var answer: JSONObject = ["dryRun": true, "audience": .string(order.audience.text), "size": .integer(size)]
        let slice = try AudienceSlice(
            of: order.audience, people, after: StreamID(stored: after), limit: limit, in: transaction)
        if let unknown = people?.unknown, !unknown.isEmpty {
            answer["unknown"] = .array(unknown.prefix(BroadcastLimits.unknownShown).map { .string($0.text) })
            answer["unknownCount"] = .integer(Int64(unknown.count))
        }
        var reach = BroadcastReach(order, people, online: online, at: context.now, in: transaction)
        for user in slice.people where order.audience != .online || online.contains(user.id) { try reach.add(user) }
        answer["reach"] = .object(reach.json)
        answer["languages"] = reach.languagesJSON
        answer["texts"] = order.texts.jsonValue
        answer["next"] = slice.next.map { .string(String($0.value)) }
        return answer
    }
}

/// The people of an audience, in the order of their numbers, from one on.
///
/// - Confinement: store (a reader's thread)
private struct AudienceSlice {
    let people: [UserEntry]
    /// The last person of it; nil when no slice follows.
    let next: StreamID?

    init(
        of audience: BroadcastAudience, _ several: ScopePeople?, after: StreamID, limit: Int,
        in transaction: Transaction
    ) throws {
        let users = transaction.users
        if let several {
            let slice = try several.slice(after: after, limit: limit, in: transaction)
            people = try slice.people.compactMap { try users.find($0) }
            next = slice.next
            return
        }
        switch audience {
        case .everyone, .online: people = try users.page(after: after, limit: limit)
        case .user(let name): people = try users.find(name).map { [$0] } ?? []
        case .followers(let topic):
            guard let stream = try transaction.streams.find(topic) else {
                (people, next) = ([], nil)
                return
            }
            people = try transaction.follows.followers(of: stream.id, after: after, limit: limit)
                .compactMap { try users.find($0.id) }
        case .room, .role, .several: people = []
        }
        next = people.count < limit ? nil : people.last?.id
    }
}
