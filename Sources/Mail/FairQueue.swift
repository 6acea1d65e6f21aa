import DequeModule
import EventLoop
import Model

/// What waits for a thread that cannot do all of it at once: each lane in its order, and the lanes by the time of the thread
/// that they have had (weighted fair queueing: P. Goyal, H. Vin, H. Cheng, Start-time Fair Queuing, 1996, with the next
/// turn given to whoever would have done soonest).
///
/// What an element will take is expected, and put right when it was measured. So who wants much waits for that, who wants
/// what takes long waits for that, and who wants little does not wait for either, however many the others are.
///
/// What is generic is not specialised in another room, and a queue that is not cost a thirtieth of a session's start. So the
/// two kinds of order that threads are given are named here.
///
/// - Confinement: any
package struct FairQueue<Element> {
    private struct Waiting {
        let element: Element
        let expected: Int64
    }

    private struct Lane {
        var next: Waiting
        /// What comes after that: in most lanes nothing.
        var others = Deque<Waiting>()
        /// The number of the turn that it has; others of it in the line are gone.
        var turn: Int64 = 0
    }

    /// Lanes that are remembered at least when they have had something.
    private static var lanesRememberedMin: Int { 1024 }

    /// What waits alone: nobody takes turns with it, and nothing is counted.
    private var alone: (lane: FairLane, waiting: Waiting)?
    private var lanes: [FairLane: Lane] = [:]
    private var turns = TurnHeap()
    /// The time of the thread, in microseconds, as those see it who share it: it goes on as the turns begin.
    package private(set) var time: Int64 = 0
    /// Until when by that time the lanes have had their part.
    private var had: [FairLane: Int64] = [:]
    private var lanesRememberedMax = Self.lanesRememberedMin
    private var lastNumber: Int64 = 0
    private var firstNumber: Int64 = 0
    /// What waits.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// How many lanes have something that waits.
    package var laneCount: Int { alone == nil ? lanes.count : 1 }

    /// What waits in a lane.
    package func count(in lane: FairLane) -> Int {
        if let alone { alone.lane == lane ? 1 : 0 } else { lanes[lane].map { $0.others.count + 1 } ?? 0 }
    }

    /// - Parameter expected: microseconds that it will take.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func append(_ element: Element, to lane: FairLane, expected: Int) {
        count += 1
        let waiting = Waiting(element: element, expected: Int64(expected))
        guard count > 1 else {
            // Where nobody waits nothing is owed.
            had.removeAll(keepingCapacity: true)
            return alone = (lane, waiting)
        }
        joinOthers()
        if let place = lanes.index(forKey: lane) {
            lanes.values[place].others.append(waiting)
        } else {
            begin(lane, with: waiting)
        }
    }

    /// Takes what is next; nil when nothing waits.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func next() -> Element? {
        if let alone {
            self.alone = nil
            count = 0
            return alone.waiting.element
        }
        while let turn = turns.first {
            turns.removeFirst()
            guard let place = lanes.index(forKey: turn.lane), lanes.values[place].turn == turn.number else { continue }
            let taken = lanes.values[place].next
            count -= 1
            time = max(time, turn.begins)
            note(turn.lane, hadUntil: turn.ends)
            if let next = lanes.values[place].others.popFirst() {
                lanes.values[place].next = next
                takeTurn(turn.lane)
            } else {
                lanes.remove(at: place)
            }
            return taken.element
        }
        return nil
    }

    /// Puts back what was taken last and could not be done, in the order in which it was taken.
    ///
    /// The time goes back, too, and each lane has the turn again that it had. Where all stood anew, whoever wants a little
    /// more than most would come last each time.
    ///
    /// - Parameter before: ``time`` as it was before the first of them was taken.
    package mutating func putBack(
        _ elements: ArraySlice<Element>, since before: Int64, _ lane: (Element) -> (FairLane, expected: Int)
    ) {
        guard !elements.isEmpty else { return }
        joinOthers()
        time = min(time, before)
        for element in elements.reversed() {
            count += 1
            let (lane, expected) = lane(element)
            let waiting = Waiting(element: element, expected: Int64(expected))
            had[lane, default: time] -= waiting.expected
            if let place = lanes.index(forKey: lane) {
                lanes.values[place].others.prepend(lanes.values[place].next)
                lanes.values[place].next = waiting
                takeTurn(lane, isFirst: true)
            } else {
                begin(lane, with: waiting, isFirst: true)
            }
        }
    }

    /// What was taken from a lane took so much longer than was expected, or less.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func charge(_ lane: FairLane, microseconds: Int64) {
        // Where nobody waits nothing is owed.
        guard alone == nil, count > 0 else { return }
        note(lane, hadUntil: max(had[lane] ?? 0, time) + microseconds)
        takeTurn(lane)
    }

    private mutating func note(_ lane: FairLane, hadUntil ends: Int64) {
        had[lane] = ends
        // Those who have had no more than others need not be known. What is looked through is doubled each time.
        guard had.count > lanesRememberedMax else { return }
        had = had.filter { $0.value > time }
        lanesRememberedMax = max(Self.lanesRememberedMin, 2 * had.count)
    }

    /// What waited alone does so no longer.
    private mutating func joinOthers() {
        guard let (lane, waiting) = alone else { return }
        alone = nil
        begin(lane, with: waiting)
    }

    private mutating func begin(_ lane: FairLane, with waiting: Waiting, isFirst: Bool = false) {
        lanes[lane] = Lane(next: waiting, turn: stand(lane, expected: waiting.expected, isFirst: isFirst))
    }

    /// Gives a lane its turn among the others, in place of the one that it had.
    ///
    /// - Parameter isFirst: before those whose turns end at the same time.
    private mutating func takeTurn(_ lane: FairLane, isFirst: Bool = false) {
        guard let place = lanes.index(forKey: lane) else { return }
        lanes.values[place].turn = stand(lane, expected: lanes.values[place].next.expected, isFirst: isFirst)
        // Those that were replaced go when they are the most.
        if turns.count > 2 * lanes.count + 64 {
            turns.removeAll { [lanes] in lanes[$0.lane]?.turn != $0.number }
        }
    }

    /// - Returns: the number of the turn.
    private mutating func stand(_ lane: FairLane, expected: Int64, isFirst: Bool) -> Int64 {
        if isFirst { firstNumber -= 1 } else { lastNumber += 1 }
        let number = isFirst ? firstNumber : lastNumber
        // What is put back begins where it began, although the time has gone on.
        let begins = isFirst ? had[lane] ?? time : max(time, had[lane] ?? 0)
        turns.insert(FairTurn(begins: begins, ends: begins + expected, number: number, lane: lane))
        return number
    }
}
