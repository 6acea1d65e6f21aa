package import JSON
import Journal

/// How a primary or a standby stands.
///
/// - Confinement: any
package struct StandbyFacts: Sendable, Hashable {
    /// - Confinement: any
    package enum Role: String, Sendable, Hashable, CaseIterable {
        case primary, standby
        /// It was a primary; its standby is to go on in its place.
        case handedOver = "handed-over"
        /// A primary that is being stopped: nothing comes before it is started again.
        case stopping
        /// A standby that follows no more, until it is started again; the log says why.
        case stopped

        /// Whether a primary commits nothing more.
        package var isEnd: Bool { self == .handedOver || self == .stopping }
    }

    package var role: Role
    package var epoch: String
    /// Of a standby, the primary's URL.
    package var primary: String?
    /// The newest entry that the database has.
    package var applied: UInt64 = 0
    /// The newest entry that the primary is known to have.
    package var last: UInt64 = 0
    /// For how many milliseconds a standby's database may have lacked an entry.
    package var lagMilliseconds: Int64 = 0
    /// The milliseconds since a standby has heard from its primary; nil when it has not since its start.
    package var silentMilliseconds: Int64?
    /// Why a standby does not follow now, or a primary cannot write.
    package var problem: String?

    package init(role: Role, epoch: String = "", primary: String? = nil) {
        self.role = role
        self.epoch = epoch
        self.primary = primary
    }
}

extension StandbyBoard {
    /// The answer to `GET /v1/standby`.
    ///
    /// - Parameter now: milliseconds of a steady clock.
    package func json(at now: Int64) -> JSONObject {
        let facts = facts
        var members: JSONObject = [
            "role": .string(facts.role.rawValue), "epoch": .string(facts.epoch),
            "applied": .integer(Int64(clamping: facts.applied)), "last": .integer(Int64(clamping: facts.last)),
        ]
        if let primary = facts.primary {
            members["primary"] = .string(primary)
            members["lagEntries"] = .integer(Int64(clamping: facts.last - min(facts.last, facts.applied)))
            members["lagMilliseconds"] = .integer(facts.lagMilliseconds)
            members["silentMilliseconds"] = facts.silentMilliseconds.map(JSONValue.integer) ?? .null
        } else if let asked {
            let read = asked.question.place?.sequence ?? 0
            members["standby"] = [
                "lacks": .integer(Int64(clamping: facts.last - min(facts.last, read))),
                "silentMilliseconds": .integer(max(0, now - asked.at)),
                "address": asked.question.address.map(JSONValue.string) ?? .null,
            ]
        }
        if let problem = facts.problem { members["problem"] = .string(problem) }
        switch promotion {
        case .underWay?: members["promotion"] = ["state": "under-way"]
        case .refused(let sentence)?: members["promotion"] = ["state": "refused", "reason": .string(sentence)]
        case nil: break
        }
        return members
    }
}
