import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// The members of a waiting broadcast that are to be others; nil for those that stay.
///
/// - Confinement: any
package struct BroadcastChange: Sendable, Hashable {
    /// A member that may be taken away.
    package enum Member<Value: Sendable & Hashable>: Sendable, Hashable {
        case stays
        case becomes(Value?)

        /// The value after the change.
        func value(before: Value?) -> Value? {
            switch self {
            case .stays: before
            case .becomes(let value): value
            }
        }
    }

    package var audience: BroadcastAudience?
    package var kind: String?
    package var level: InterruptionLevel?
    /// Title and body together, in all languages.
    package var texts: StoredTexts?
    package var data: JSONObject?
    package var time: BroadcastTime?
    package var expires = Member<Timestamp>.stays
    package var collapse = Member<String>.stays

    package init() {}

    /// The order with the change.
    func applied(to order: BroadcastOrder) -> BroadcastOrder {
        BroadcastOrder(
            audience: audience ?? order.audience, kind: kind ?? order.kind, level: level ?? order.level,
            texts: texts ?? order.texts, data: data.map { JSONValue.object($0).text } ?? order.data,
            expires: expires.value(before: order.expires), collapse: collapse.value(before: order.collapse),
            time: time ?? order.time)
    }
}

/// `PATCH /v1/broadcasts/ID`: another text, time or audience for a broadcast of which nobody has got anything.
///
/// - Confinement: any
package struct ChangeBroadcast: WriteUseCase {
    let id: Int64
    let change: BroadcastChange
    package let key: WriteKey?

    package init(id: Int64, _ change: BroadcastChange, key: WriteKey?) {
        self.id = id
        self.change = change
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("broadcast.change")
        fingerprint.add(id)
        if let scope = change.audience?.scope {
            scope.add(to: &fingerprint)
        } else {
            fingerprint.add(change.audience?.text)
        }
        fingerprint.add(change.kind)
        fingerprint.add(change.level?.rawValue)
        fingerprint.add(change.texts?.json)
        fingerprint.add(change.data.map { JSONValue.object($0).text })
        fingerprint.add(change.time?.text)
        for part in ["\(change.expires)", "\(change.collapse)"] { fingerprint.add(part) }
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let broadcast = try transaction.broadcasts.find(id) else { throw Refusal.noBroadcast(id) }
        guard broadcast.state == .scheduled, let before = try BroadcastOrder(broadcast) else {
            throw Refusal(
                .conflict, "broadcast \(id) is \(broadcast.state.rawValue): only one that waits can be changed",
                field: "id")
        }
        let order = change.applied(to: before)
        try order.check(at: context.now)
        guard let time = order.time else { throw StoredValueProblem(place: "broadcasts.wanted") }
        if case .user(let user)? = change.audience {
            guard try transaction.users.number(of: user) != nil else { throw Refusal.noUser(user, field: "audience") }
            try transaction.checkErasure(of: user, field: "audience")
        }
        if let audience = change.audience {
            try transaction.broadcastPeople.clear(id)
            if let scope = audience.scope {
                try ScopePeople(scope, in: transaction.reading).check(in: transaction.reading)
                try transaction.broadcastPeople.put(scope, of: id, in: transaction)
            }
        }
        let people = try order.audience.scope.map { try ScopePeople($0, storedOf: id, in: transaction.reading) }
        let size =
            try people?.size(in: transaction.reading, at: context.now)
            ?? order.audience.size(in: transaction.reading, at: context.now)
        // Of an audience that stays, the stored text also counts the people that are in the table alone.
        let text = change.audience?.text ?? broadcast.audience
        try transaction.broadcasts.change(
            id, audience: text, size: size, due: max(time.first, context.now), wanted: order.stored)
        return [
            "id": .string(String(id)), "audience": .string(text), "size": .integer(size),
            "state": .string(BroadcastEntry.State.scheduled.rawValue), "at": .string(time.text),
            "seq": .integer(transaction.head.value),
        ]
    }
}
