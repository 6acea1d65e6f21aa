import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `GET /v1/users/ID/restrictions`, and `GET /v1/users/ID/limits`: what holds for a user now.
///
/// - Confinement: any
package struct ReadStanding: ReadUseCase {
    /// The part that is asked for.
    ///
    /// - Confinement: any
    package enum Part: Sendable {
        case restrictions, limits
    }

    let user: UserID
    let part: Part

    package init(of user: UserID, _ part: Part) {
        self.user = user
        self.part = part
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        guard let id = try transaction.users.number(of: user) else { throw Refusal.noUser(user) }
        switch part {
        case .restrictions:
            let held = try Restriction.Kind.ofModerators.compactMap {
                try transaction.restrictions.inForce($0, of: id, at: context.now)
            }
            var answer: JSONObject = [
                "user": .string(user.text), "restrictions": .array(held.map { .object($0.json) }),
            ]
            if let closed = try transaction.restrictions.inForce(.deactivated, of: id, at: context.now) {
                answer["deactivated"] = ["at": .string(closed.at.text), "by": .string(closed.by)]
            }
            return answer
        case .limits:
            let own = try transaction.personLimits.find(id).map {
                JSONValue.object(try StoredJSON.object($0, place: "person_limits.limits"))
            }
            return ["user": .string(user.text), "limits": own ?? .null]
        }
    }
}

/// `PUT` and `DELETE /v1/users/ID/limits`: a user has limits in place of the configured ones, deed by deed.
///
/// - Confinement: any
package struct SetLimits: WriteUseCase {
    let user: UserID
    /// Nil for the configured ones.
    let limits: PersonLimits?
    package let key: WriteKey?

    package init(_ limits: PersonLimits?, of user: UserID, key: WriteKey?) {
        self.user = user
        self.limits = limits
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("limits")
        fingerprint.add(user.text)
        fingerprint.add(limits.map { JSONValue.object($0.json).text })
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        try transaction.checkErasure(of: user, field: "user")
        guard let id = try transaction.users.number(of: user) else { throw Refusal.noUser(user) }
        if let limits, !limits.isEmpty {
            try transaction.personLimits.put(JSONValue.object(limits.json).text, of: id)
        } else if try transaction.personLimits.find(id) != nil {
            try transaction.personLimits.delete(id)
        }
        return [
            "user": .string(user.text), "limits": limits.map { .object($0.json) } ?? .null,
            "seq": .integer(try transaction.appendSilently().value),
        ]
    }
}
