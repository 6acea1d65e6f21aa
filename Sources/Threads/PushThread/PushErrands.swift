import Model
import Push
import Store

/// The errands that run, by their numbers. A value without input and output: times are parameters.
///
/// - Confinement: any
struct PushErrands: Sendable {
    private var running: [Int: PushErrand] = [:]
    private var last = 0

    var count: Int { running.count }

    subscript(number: Int) -> PushErrand? {
        get { running[number] }
        set { running[number] = newValue }
    }

    /// The jobs whose pages are being sent.
    var jobs: Set<Int64> { Set(running.values.compactMap { $0.page?.job.id }) }

    /// The tries that are made again.
    var tries: Set<PushTryKey> {
        running.values.reduce(into: []) { keys, errand in if errand.page == nil { keys.formUnion(errand.keys) } }
    }

    /// - Returns: its number.
    mutating func begin(_ errand: PushErrand) -> Int {
        last += 1
        running[last] = errand
        return last
    }

    // MARK: Questions to the loops, and holds

    /// The users of all errands that begin, or whose hold is over: those of one question each, with its errands.
    func toAsk() -> [(users: Set<StreamID>, errands: [Int])] {
        var batches: [(users: Set<StreamID>, errands: [Int])] = []
        var (users, batch): (Set<StreamID>, [Int]) = ([], [])
        for (number, errand) in running.sorted(by: { $0.key < $1.key }) where errand.stage == .toAsk {
            if !batch.isEmpty, users.count + errand.undecided.count > PushLimits.usersAskedMax {
                batches.append((users, batch))
                (users, batch) = ([], [])
            }
            users.formUnion(errand.undecided)
            batch.append(number)
        }
        return batch.isEmpty ? batches : batches + [(users, batch)]
    }

    /// The loops have answered.
    ///
    /// - Returns: the errands with the users who are to be decided now.
    mutating func take(_ answer: PushQuestions.Answer, at now: Timestamp) -> [(number: Int, users: [StreamID])] {
        running.keys.sorted().compactMap { number in
            guard let users = running[number]?.take(answer, at: now), !users.isEmpty else { return nil }
            return (number, users)
        }
    }

    mutating func endHolds(at now: Timestamp) {
        for (number, errand) in running {
            guard case .holding(let until) = errand.stage, until <= now else { continue }
            running[number]?.endHold()
        }
    }

    /// When the first hold is over; nil without one.
    var holdsEndAt: Timestamp? {
        running.values.compactMap { if case .holding(let until) = $0.stage { until } else { nil } }.min()
    }
}
