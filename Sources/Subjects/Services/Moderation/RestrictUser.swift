import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution

/// `PUT /v1/users/ID/restrictions`: a moderator mutes or bans a user, in place of an earlier restriction of the kind.
///
/// The user need not be known yet: somebody can be banned before they ever come.
///
/// - Confinement: any
package struct RestrictUser: WriteUseCase {
    let user: UserID
    let kind: Restriction.Kind
    let until: Timestamp?
    let reason: String
    package let key: WriteKey?

    package init(_ user: UserID, _ kind: Restriction.Kind, until: Timestamp?, reason: String, key: WriteKey?) {
        self.user = user
        self.kind = kind
        self.until = until
        self.reason = reason
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("restrict")
        fingerprint.add(user.text)
        fingerprint.add(kind.rawValue)
        fingerprint.add(until?.milliseconds)
        fingerprint.add(reason)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        var answer = try apply(in: context).json
        answer["user"] = .string(user.text)
        answer["seq"] = .integer(try context.transaction.appendSilently().value)
        return answer
    }

    /// Restricts. The sessions of a user who is banned end, the user's devices show nothing any more, and the user's
    /// invitations are withdrawn.
    @discardableResult
    func apply(in context: WriteContext) throws -> RestrictionEntry {
        if let until, until <= context.now { throw Refusal.badRequest(field: "until", "must lie in the future") }
        var notifier = Notifier(in: context)
        let entry = RestrictionEntry(
            kind: kind, until: until, at: context.now, by: context.actor.subject, reason: reason)
        let id = try notifier.inbox(of: user)
        try context.transaction.restrictions.put(entry, of: id)
        if kind == .ban {
            try Invitations(in: context).withdraw(by: id)
            try PushQueue(in: context).takeBackAll(from: id)
            context.transaction.note(.banned(Restriction(.ban, of: user, until: until, reason: reason)))
        }
        return entry
    }
}

/// `DELETE /v1/users/ID/restrictions`: restrictions of a user end before their time.
///
/// - Confinement: any
package struct EndRestriction: WriteUseCase {
    let user: UserID
    let kinds: [Restriction.Kind]

    /// - Parameter kind: nil for all.
    package init(_ user: UserID, _ kind: Restriction.Kind?) {
        self.user = user
        kinds = kind.map { [$0] } ?? Restriction.Kind.ofModerators
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let id = try transaction.users.number(of: user) else { throw Refusal.noUser(user) }
        var ended: [JSONValue] = []
        for kind in kinds {
            guard try transaction.restrictions.inForce(kind, of: id, at: context.now) != nil else { continue }
            try transaction.restrictions.delete(kind, of: id)
            if kind == .ban { transaction.note(.banLifted(user, .ban)) }
            ended.append(.string(kind.rawValue))
        }
        let position = try ended.isEmpty ? transaction.head : transaction.appendSilently()
        return ["user": .string(user.text), "ended": .array(ended), "seq": .integer(position.value)]
    }
}

extension RestrictionEntry {
    /// As moderators see it.
    var json: JSONObject {
        [
            "kind": .string(kind.rawValue), "until": until.map { .string($0.text) } ?? .null,
            "reason": .string(reason), "at": .string(at.text), "by": .string(by),
        ]
    }
}
