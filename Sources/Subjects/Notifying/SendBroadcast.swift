import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `POST /v1/broadcasts`: an operator's notification, at once or at a time.
///
/// - Confinement: any
package struct SendBroadcast: WriteUseCase {
    let order: BroadcastOrder
    /// The name of the field `expires` in the request.
    let expiresField: String
    /// The number of people who are online, as far as the node that was asked knows.
    let online: Int
    package let key: WriteKey?

    package init(_ order: BroadcastOrder, expiresField: String = "expires", online: Int = 0, key: WriteKey?) {
        self.order = order
        self.expiresField = expiresField
        self.online = order.audience == .online ? online : 0
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) { order.add(to: &fingerprint) }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        let broadcasts = transaction.broadcasts
        try order.check(expiresField, at: context.now)
        let people = try order.audience.scope.map { try ScopePeople($0, in: transaction.reading) }
        try people?.check(in: transaction.reading)
        let size = try order.audience.size(in: transaction.reading, online: online, at: context.now)
        if case .user(let user) = order.audience {
            guard size > 0 else { throw Refusal.noUser(user, field: "audience") }
            try transaction.checkErasure(of: user, field: "audience")
        }
        let waiting = order.time.map { max($0.first, context.now) }
        if waiting != nil, try broadcasts.countWaiting() >= BroadcastLimits.waitingMax {
            throw Refusal(.tooMany, "\(BroadcastLimits.waitingMax) broadcasts wait for their time; cancel some")
        }
        let id = try broadcasts.nextID()
        let isWritten = waiting == nil && order.audience != .online && people == nil
        try broadcasts.insert(
            id: id, position: isWritten ? transaction.nextPosition : transaction.appendSilently(),
            audience: order.audience.text, size: size, at: context.now, due: waiting ?? context.now,
            wanted: order.stored)
        if let scope = order.audience.scope { try transaction.broadcastPeople.put(scope, of: id, in: transaction) }
        if waiting == nil, let broadcast = try broadcasts.find(id) {
            var notifier = Notifier(in: context)
            try BroadcastSending(in: context).send(broadcast, order, &notifier)
        }
        var answer: JSONObject = [
            "id": .string(String(id)), "audience": .string(order.audience.text), "size": .integer(size),
            "seq": .integer(transaction.head.value),
        ]
        if let unknown = people?.unknown, !unknown.isEmpty {
            answer["unknown"] = .array(unknown.prefix(BroadcastLimits.unknownShown).map { .string($0.text) })
            answer["unknownCount"] = .integer(Int64(unknown.count))
        }
        if let time = order.time {
            answer["state"] = .string(BroadcastEntry.State.scheduled.rawValue)
            answer["at"] = .string(time.text)
        }
        return answer
    }
}
