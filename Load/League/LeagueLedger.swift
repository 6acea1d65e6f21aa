import ClientProtocol
import JSON
import Model
import Session

/// The events of one fan, compared with the expected ones: each goal of the fan's matches once, in order, with the
/// right topics, and counts that are right at every moment.
struct LeagueLedger {
    /// The ways in which an event can be wrong.
    enum Fault: Hashable, CaseIterable {
        case lost, doubled, stray, descending, altered, rangAgain, wrongCount, wrongList
    }

    /// The matches whose goals the fan must get.
    let matches: Set<Int>
    private(set) var faults: [Fault: Int] = [:]
    /// The id of each goal's present notification, by the goal.
    private var live: [String: String] = [:]
    /// Goals whose notification was just replaced, until the new one arrives.
    private var replaced: Set<String> = []
    private var last: Int64 = 0
    /// Counts that the server sent.
    private(set) var countsTold = 0
    /// Counts that included a goal before its notification arrived. The contract allows this: a count is of the same
    /// time as the delivered events, or later.
    private(set) var countsAhead = 0
    private var told: Int64 = 0
    /// Notifications that arrived.
    private(set) var received = 0

    init(matches: Set<Int>) { self.matches = matches }

    /// Goals that the fan was notified of.
    var goals: Int64 { Int64(live.count + replaced.count) }

    /// Records an event.
    ///
    /// - Returns: When the goal was written, by the writer's clock; nil for other events.
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
        // A correction of a goal is in the inbox and does not interrupt again.
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

    /// Checks a count: it must not be below the delivered notifications, nor below the last count, nor above the
    /// possible maximum.
    private mutating func count(_ count: Int64?) {
        countsTold += 1
        guard let count, count >= goals, count >= told else { return note(.wrongCount) }
        told = count
        if count > goals { countsAhead += 1 }
    }

    /// Compares the ledger with the written goals, when everything has arrived.
    ///
    /// - Parameters:
    ///   - rounds: Goals of each match.
    ///   - list: The answer to `notifications`.
    mutating func rest(rounds: Int, list: JSONValue) {
        let wanted = Int64(matches.count * rounds)
        if goals < wanted { note(.lost, Int(wanted - goals)) }
        if goals > wanted { note(.stray, Int(goals - wanted)) }
        if !replaced.isEmpty { note(.lost, replaced.count) }
        if told != wanted || list["unread"]?.integerValue != wanted { note(.wrongCount) }
        let listed = (list["notifications"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
        if listed.sorted() != live.values.sorted() { note(.wrongList) }
    }

    /// Records a delivery whose position is not above the cursor; the session drops it.
    mutating func receiveAgain() { note(.doubled) }

    private mutating func note(_ fault: Fault, _ count: Int = 1) { faults[fault, default: 0] += count }
}
