import Model

/// For whom something is done, where many want something at once.
///
/// - Confinement: any
enum FairLane: Sendable, Hashable {
    /// One user, over all connections.
    case user(ObjectIdentifier)
    /// One connection, of nobody who has an account: an administrator's, or one that only begins.
    case connection(ConnectionAddress)
    /// The server itself.
    case server

    init(_ account: UserAccount?, _ address: ConnectionAddress?) {
        self =
            if let account { .user(ObjectIdentifier(account)) } else if let address { .connection(address) } else {
                .server
            }
    }
}

/// What waits for a thread that cannot do all of it at once: each lane in its order, and the lanes in turns by the time that
/// they take (deficit round robin, by what was measured).
///
/// A lane that has taken nothing lately comes before all that have. The others take turns; one whose work took long lets as
/// many turns pass as that was worth. So who wants much waits for that, who wants what takes long waits for that, and who
/// wants little does not wait for either, however many the others are.
///
/// - Confinement: any
struct FairQueue<Element> {
    /// What a lane has taken beyond its turns, as of a round.
    private struct Debt {
        var microseconds: Int64
        var round: Int64
    }

    /// What a turn is worth.
    private static var turnMicroseconds: Int64 { 1000 }
    /// One of so many that are taken is of those who have taken something lately, whoever else waits.
    static var freshInARow: Int { 8 }
    private static var debtsMax: Int { 1024 }

    private var lanes: [FairLane: FirstInFirstOut<Element>] = [:]
    /// The lanes that have taken nothing lately, in the order in which they came; each lane stands in one of the two.
    private var fresh = FirstInFirstOut<FairLane>()
    /// The others, in the order of their turns.
    private var turns = FirstInFirstOut<FairLane>()
    private var debts: [FairLane: Debt] = [:]
    private var round: Int64 = 0
    /// Turns until the next round begins.
    private var turnsLeft = 0
    private var freshTaken = 0
    /// What waits.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, to lane: FairLane) {
        count += 1
        if lanes[lane]?.append(element) == nil {
            lanes[lane] = FirstInFirstOut(element)
            if debt(of: lane) > 0 { turns.append(lane) } else { fresh.append(lane) }
        }
    }

    /// Takes what is next; nil when nothing waits.
    mutating func next() -> Element? {
        guard let lane = nextLane(), let element = lanes[lane]?.takeFirst() else { return nil }
        count -= 1
        if lanes[lane]?.isEmpty == true { lanes[lane] = nil } else { turns.append(lane) }
        return element
    }

    /// Puts back what was taken last and could not be done, in the order in which it was taken.
    mutating func putBack(_ elements: ArraySlice<Element>, lane: (Element) -> FairLane) {
        for element in elements.reversed() {
            count += 1
            let lane = lane(element)
            if lanes[lane]?.putBack(element) == nil {
                lanes[lane] = FirstInFirstOut(element)
                if debt(of: lane) > 0 { turns.putBack(lane) } else { fresh.putBack(lane) }
            }
        }
    }

    /// Nothing waits and something comes: what was taken before then was taken from nobody.
    mutating func forgive() { if !debts.isEmpty { debts.removeAll(keepingCapacity: true) } }

    /// What was taken from a lane took so long, while others waited.
    mutating func charge(_ lane: FairLane, microseconds: Int64) {
        debts[lane] = Debt(microseconds: debt(of: lane) + microseconds, round: round)
        guard debts.count > Self.debtsMax else { return }
        debts = debts.filter { Self.left(of: $0.value, in: round) > 0 }
    }

    private mutating func nextLane() -> FairLane? {
        freshTaken += 1
        if turns.isEmpty || !fresh.isEmpty && freshTaken < Self.freshInARow { return fresh.takeFirst() }
        freshTaken = 0
        while let lane = turns.takeFirst() {
            if turnsLeft <= 0 {
                round += 1
                turnsLeft = turns.count + 1
            }
            turnsLeft -= 1
            // Nobody waits for a lane that is alone.
            if turns.isEmpty || debt(of: lane) < Self.turnMicroseconds { return lane }
            turns.append(lane)
        }
        return nil
    }

    private func debt(of lane: FairLane) -> Int64 { debts[lane].map { Self.left(of: $0, in: round) } ?? 0 }

    private static func left(of debt: Debt, in round: Int64) -> Int64 {
        max(0, debt.microseconds - (round - debt.round) * turnMicroseconds)
    }
}

/// A queue in an array, of which nothing is moved that is not taken.
///
/// - Confinement: any
struct FirstInFirstOut<Element> {
    private var elements: [Element] = []
    private var first = 0

    init() {}

    init(_ element: Element) { elements = [element] }

    var isEmpty: Bool { first == elements.count }
    var count: Int { elements.count - first }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func takeFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        first += 1
        if first >= 64, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Puts back what was taken.
    mutating func putBack(_ element: Element) {
        if first > 0 {
            first -= 1
            elements[first] = element
        } else {
            elements.insert(element, at: 0)
        }
    }
}
