import ClientProtocol
package import Execution
package import JSON
package import Model
import PersonalData
import Store
import TriggerExecution

/// `POST /v1/users/ID/deactivate` and `reactivate`: the account of somebody who has left is closed, or opened again.
///
/// It is no punishment. Sessions end, tokens are refused, registrations for pushes end, and so does what triggers have scheduled
/// for the person. Everything else stays, and what others write meanwhile waits as for somebody who is away.
///
/// - Confinement: any
package struct DeactivateUser: WriteUseCase {
    let user: UserID
    let isOn: Bool
    package let key: WriteKey?

    /// - Parameter isOn: false to open the account again.
    package init(_ user: UserID, isOn: Bool, key: WriteKey?) {
        self.user = user
        self.isOn = isOn
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add(isOn ? "deactivate" : "reactivate")
        fingerprint.add(user.text)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let transaction = context.transaction
        try transaction.checkErasure(of: user, field: "user")
        guard let id = try transaction.users.number(of: user) else { throw Refusal.noUser(user) }
        let isClosed = try transaction.restrictions.inForce(.deactivated, of: id, at: context.now) != nil
        var answer: JSONObject = ["user": .string(user.text), "deactivated": .bool(isOn)]
        // The request is fulfilled already.
        guard isClosed != isOn else {
            answer["seq"] = .integer(transaction.head.value)
            return answer
        }
        if isOn {
            let entry = RestrictionEntry(
                kind: .deactivated, until: nil, at: context.now, by: context.actor.subject, reason: "")
            try transaction.restrictions.put(entry, of: id)
            transaction.note(.banned(Restriction(.deactivated, of: user, until: nil, reason: "")))
            answer["devices"] = .integer(Int64(try transaction.erasures.deleteDevices(of: id)))
            answer["scheduled"] = .integer(Int64(try transaction.unschedule(for: user)))
        } else {
            try transaction.restrictions.delete(.deactivated, of: id)
            transaction.note(.banLifted(user, .deactivated))
        }
        answer["seq"] = .integer(try transaction.appendSilently().value)
        return answer
    }
}
