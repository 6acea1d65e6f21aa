import Client
import ClientProtocol
import JSON
import Model

/// What one fan has got, held against what he must get: each goal of his matches once, in order, with the right topics,
/// and counts that are right at every moment.
struct LeagueLedger {
    /// How something was not what it must be.
    enum Fault: Hashable, CaseIterable {
        case lost, doubled, stray, descending, altered, rangAgain, wrongCount, wrongList
    }

    /// Matches of whose goals the fan hears.
    let matches: Set<Int>
    private(set) var faults: [Fault: Int] = [:]
    /// The id of what tells of each goal now, by the goal.
    private var live: [String: String] = [:]
    /// Goals whose notification was just replaced, until the new one comes.
    private var replaced: Set<String> = []
    private var last: Int64 = 0
    /// Counts that were told.
    private(set) var countsTold = 0
    /// Counts that told of a goal before it came: right by the contract, which has them at or after what was delivered.
    private(set) var countsAhead = 0
    private var told: Int64 = 0
    /// Notifications that came.
    private(set) var received = 0

    init(matches: Set<Int>) { self.matches = matches }

    /// Goals that the fan was told of.
    var goals: Int64 { Int64(live.count + replaced.count) }

    /// Enters an event.
    ///
    /// - Returns: when the goal was written, as the writer's clock said; nil for what tells of none.
    mutating func receive(_ event: ClientEvent, isCorrecting: Bool) -> Int64? {
        if let position = event.position {
            if position.value <= last { note(.descending) }
            last = max(last, position.value)
        }
        switch event.name {
        case .notification: return receiveGoal(event.body, isCorrecting: isCorrecting)
        case .notificationRemoved: remove(event.body)
        case .unread: count(event.body["notifications"]?.integerValue)
        case .some, nil: break
        }
        return nil
    }

    private mutating func receiveGoal(_ body: JSONValue, isCorrecting: Bool) -> Int64? {
        received += 1
        guard let goal = body["data"]?["goal"]?.stringValue, let id = body["id"]?.stringValue,
            let match = body["data"]?["match"]?.stringValue.flatMap({ Int($0.dropFirst()) })
        else {
            note(.altered)
            return nil
        }
        if !matches.contains(match) { note(.stray) }
        if live[goal] != nil { note(.doubled) }
        if body["topics"]?.arrayValue?.compactMap(\.stringValue) != LeaguePlan.topics(of: match) { note(.altered) }
        // What corrects a goal is in the inbox and rings nobody again.
        if isCorrecting != (body["alert"] == false) { note(.rangAgain) }
        if isCorrecting, replaced.remove(goal) == nil { note(.stray) }
        live[goal] = id
        return body["data"]?["sent"]?.stringValue.flatMap { Int64($0) }
    }

    private mutating func remove(_ body: JSONValue) {
        guard let id = body["id"]?.stringValue, let goal = live.first(where: { $0.value == id })?.key,
            body["reason"] == "replaced"
        else { return note(.stray) }
        live[goal] = nil
        replaced.insert(goal)
    }

    /// A count that is told: neither less than what has come, nor less than before, nor more than there can be.
    private mutating func count(_ count: Int64?) {
        countsTold += 1
        guard let count, count >= goals, count >= told else { return note(.wrongCount) }
        told = count
        if count > goals { countsAhead += 1 }
    }

    /// Holds the books against what was written, at rest.
    ///
    /// - Parameters:
    ///   - rounds: goals of each match.
    ///   - list: the answer to `notifications`.
    mutating func rest(rounds: Int, list: JSONValue) {
        let wanted = Int64(matches.count * rounds)
        if goals < wanted { note(.lost, Int(wanted - goals)) }
        if goals > wanted { note(.stray, Int(goals - wanted)) }
        if !replaced.isEmpty { note(.lost, replaced.count) }
        if told != wanted || list["unread"]?.integerValue != wanted { note(.wrongCount) }
        let listed = (list["notifications"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        if listed.sorted() != live.values.sorted() { note(.wrongList) }
    }

    /// A delivery whose position is not above the cursor, which the session does not hand on.
    mutating func receiveAgain() { note(.doubled) }

    private mutating func note(_ fault: Fault, _ count: Int = 1) { faults[fault, default: 0] += count }
}
