import EventLoop
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

/// What waits for a thread that cannot do all of it at once: each lane in its order, and the lanes by the time of the thread
/// that they have had (weighted fair queueing: P. Goyal, H. Vin, H. Cheng, Start-time Fair Queuing, 1996, with the next
/// turn given to whoever would have done soonest).
///
/// What an element will take is expected, and put right when it was measured. So who wants much waits for that, who wants
/// what takes long waits for that, and who wants little does not wait for either, however many the others are.
///
/// - Confinement: any
struct FairQueue<Element> {
    private struct Waiting {
        let element: Element
        let expected: Int64
    }

    private struct Lane {
        var waiting: FirstInFirstOut<Waiting>
        /// The number of the turn that it has; others of it in the line are gone.
        var turn: Int64 = 0
    }

    /// When a lane would have the thread for its next element, by the queue's time.
    private struct Turn: Comparable {
        let begins: Int64
        let ends: Int64
        let number: Int64
        let lane: FairLane

        static func < (one: Turn, other: Turn) -> Bool { (one.ends, one.number) < (other.ends, other.number) }
    }

    /// Lanes that are remembered after they have had something.
    private static var lanesRememberedMax: Int { 1024 }

    private var lanes: [FairLane: Lane] = [:]
    private var turns = MinimumHeap<Turn>([])
    /// The time of the thread, in microseconds, as those see it who share it: it goes on as the turns begin.
    private var time: Int64 = 0
    /// Until when by that time the lanes have had their part.
    private var had: [FairLane: Int64] = [:]
    private var lastNumber: Int64 = 0
    private var firstNumber: Int64 = 0
    /// What waits.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many lanes have something that waits.
    var laneCount: Int { lanes.count }

    /// What waits in a lane.
    func count(in lane: FairLane) -> Int { lanes[lane]?.waiting.count ?? 0 }

    /// - Parameter expected: microseconds that it will take.
    mutating func append(_ element: Element, to lane: FairLane, expected: Int) {
        count += 1
        let waiting = Waiting(element: element, expected: Int64(expected))
        guard lanes[lane]?.waiting.append(waiting) == nil else { return }
        lanes[lane] = Lane(waiting: FirstInFirstOut(waiting))
        takeTurn(lane)
    }

    /// Takes what is next; nil when nothing waits.
    mutating func next() -> Element? {
        while let turn = turns.first {
            turns.removeFirst()
            guard lanes[turn.lane]?.turn == turn.number, let taken = lanes[turn.lane]?.waiting.takeFirst() else {
                continue
            }
            count -= 1
            time = max(time, turn.begins)
            had[turn.lane] = turn.ends
            if lanes[turn.lane]?.waiting.isEmpty == true { lanes[turn.lane] = nil } else { takeTurn(turn.lane) }
            return taken.element
        }
        return nil
    }

    /// Puts back what was taken last and could not be done, in the order in which it was taken.
    mutating func putBack(_ elements: ArraySlice<Element>, _ lane: (Element) -> (FairLane, expected: Int)) {
        for element in elements.reversed() {
            count += 1
            let (lane, expected) = lane(element)
            let waiting = Waiting(element: element, expected: Int64(expected))
            had[lane, default: time] -= waiting.expected
            if lanes[lane]?.waiting.putBack(waiting) == nil { lanes[lane] = Lane(waiting: FirstInFirstOut(waiting)) }
            takeTurn(lane, isFirst: true)
        }
    }

    /// What was taken from a lane took so much longer than was expected, or less.
    mutating func charge(_ lane: FairLane, microseconds: Int64) {
        had[lane] = max(had[lane] ?? 0, time) + microseconds
        if lanes[lane] != nil { takeTurn(lane) }
        guard had.count > Self.lanesRememberedMax else { return }
        had = had.filter { $0.value > time }
    }

    /// Gives a lane its turn among the others, in place of the one that it had.
    ///
    /// - Parameter isFirst: before those whose turns end at the same time.
    private mutating func takeTurn(_ lane: FairLane, isFirst: Bool = false) {
        guard let next = lanes[lane]?.waiting.first else { return }
        if isFirst { firstNumber -= 1 } else { lastNumber += 1 }
        let number = isFirst ? firstNumber : lastNumber
        lanes[lane]?.turn = number
        let begins = max(time, had[lane] ?? 0)
        turns.insert(Turn(begins: begins, ends: begins + next.expected, number: number, lane: lane))
        // Those that were replaced go when they are the most.
        if turns.count > 2 * lanes.count + 64 {
            turns.removeAll { [lanes] in lanes[$0.lane]?.turn != $0.number }
        }
    }
}
