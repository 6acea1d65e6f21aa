import JSON
import Model
import Push
import Store
import ThreadMessages

/// A text on its way to every device of a user, because an operator asks whether pushes arrive; at its end, the answer.
/// A value without input and output: ticks, in milliseconds of a monotonic clock, are parameters.
///
/// - Confinement: any
struct PushTrialRun: Sendable {
    /// One request to one device.
    ///
    /// - Confinement: any
    struct Aim: Sendable, Hashable {
        let device: PushDeviceEntry
        /// Of this request: 1, 2, 3 …
        var number = 1
        var variant = PushVariant.usual
    }

    /// The end of the push to one device; the raw value is the text on the wire.
    ///
    /// - Confinement: any
    enum State: String, Sendable, Hashable, CaseIterable {
        /// The push service took it.
        case sent
        /// A push of a job would be sent again later; a test is not.
        case again
        case dropped
        case dead
        case expired
        /// It was not sent: its push service gets nothing at the moment.
        case waits
        /// There was no answer in time.
        case unanswered
    }

    fileprivate struct Place: Sendable {
        var aim: Aim
        /// When its first request began.
        var began: Int64?
        var isUnderWay = false
        var result: Result?
    }

    fileprivate struct Result: Sendable {
        let state: State
        var status: Int?
        let answer: String
        var milliseconds: Int64?
    }

    let user: UserID
    /// The connection that asked.
    let address: ConnectionAddress
    /// When it is answered at the latest.
    let endsAt: Int64
    private var places: [Place]

    init(_ devices: [PushDeviceEntry], of user: UserID, for address: ConnectionAddress, tick: Int64) {
        self.user = user
        self.address = address
        endsAt = tick + PushLimits.trialMilliseconds
        places = devices.map { Place(aim: Aim(device: $0)) }
    }

    /// The requests that may begin when their push services have room.
    var ready: [Aim] { places.filter { $0.result == nil && !$0.isUnderWay }.map(\.aim) }
    var isOver: Bool { places.allSatisfy { $0.result != nil } }

    mutating func begin(_ aim: Aim, tick: Int64) {
        change(aim) { place in
            place.began = place.began ?? tick
            place.isUnderWay = true
        }
    }

    /// A request has ended. Where the answer asks for another one at once, such as to Apple's other environment, the
    /// device is ready again.
    mutating func end(_ aim: Aim, _ end: PushEnd, at now: Timestamp, tick: Int64) {
        change(aim) { place in
            place.isUnderWay = false
            if let next = aim.next(after: end, at: now) {
                place.aim = next
            } else {
                place.result = Result(end, milliseconds: place.began.map { tick - $0 })
            }
        }
    }

    /// The time is over: every device gets a result.
    mutating func giveUp(tick: Int64) {
        for index in places.indices where places[index].result == nil {
            let milliseconds = places[index].began.map { tick - $0 }
            places[index].result =
                places[index].isUnderWay
                ? Result(
                    state: .unanswered, answer: "no answer within \(PushLimits.trialMilliseconds / 1_000) s",
                    milliseconds: milliseconds)
                : Result(state: .waits, answer: "the service is busy", milliseconds: milliseconds)
        }
    }

    private mutating func change(_ aim: Aim, _ change: (inout Place) -> Void) {
        guard let index = places.firstIndex(where: { $0.aim.device.id == aim.device.id }) else { return }
        change(&places[index])
    }

    /// The answer to the operator.
    var json: JSONObject { ["user": .string(user.text), "devices": .array(places.map(\.json))] }
}

extension PushTrialRun.Aim {
    /// The request that an answer asks for at once; nil when it asks for none.
    fileprivate func next(after end: PushEnd, at now: Timestamp) -> PushTrialRun.Aim? {
        guard case .judged(let verdict, _, _) = end, case .again(let time, let variant) = verdict.outcome, time <= now,
            number < PushLimits.trialRequestsMax
        else { return nil }
        return PushTrialRun.Aim(device: device, number: number + 1, variant: variant)
    }
}

extension PushTrialRun.Result {
    fileprivate init(_ end: PushEnd, milliseconds: Int64?) {
        switch end {
        case .judged(let verdict, _, let note):
            self.init(
                state: PushTrialRun.State(verdict.outcome), status: verdict.status,
                answer: verdict.line(with: note), milliseconds: milliseconds)
        case .postponed(let until, let reason):
            self.init(state: .waits, answer: "\(reason), until \(until.text)", milliseconds: milliseconds)
        case .unsendable(let reason): self.init(state: .dropped, answer: reason)
        }
    }
}

extension PushTrialRun.State {
    fileprivate init(_ outcome: PushVerdict.Outcome) {
        switch outcome {
        case .sent: self = .sent
        case .again: self = .again
        case .dropped: self = .dropped
        case .dead: self = .dead
        case .expired: self = .expired
        }
    }
}

extension PushTrialRun.Place {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(String(aim.device.id)), "device": .string(aim.device.device),
            "platform": .string(aim.device.registration.platform.rawValue),
        ]
        guard let result else { return .object(object) }
        object["state"] = .string(result.state.rawValue)
        object["status"] = result.status.map { .integer(Int64($0)) }
        object["answer"] = .string(result.answer)
        object["milliseconds"] = result.milliseconds.map { .integer($0) }
        return .object(object)
    }
}
