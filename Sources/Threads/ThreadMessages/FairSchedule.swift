import DequeModule

/// The order in which what waits for a thread has its turns (`FairQueue` of StoreThread says how). It knows each by a number that its
/// user gives, so that it is compiled once: as generic code it asked the runtime for its types ten times for each message of a chat.
///
/// - Confinement: any
package struct FairSchedule {
    private struct Waiting {
        let number: Int
        let expected: Int64
    }

    private struct Lane {
        let name: FairLane
        /// The element of which the turn is next; nil when nothing waits.
        var next: Waiting?
        /// The elements after the first; most lanes have none.
        var others = Deque<Waiting>()
        /// The number of the lane's valid turn, and 0 without one; other turns of it in the heap are outdated.
        var turn: Int64 = 0
        /// The point on ``FairSchedule/time`` up to which it has had its share; nil when it has had nothing yet.
        var had: Int64?
    }

    /// Microseconds for which a lane goes on in its turn: a few usual writes.
    private static var burstMicroseconds: Int64 { 200 }
    /// At least this many lanes are remembered after they had something.
    private static var lanesRememberedMin: Int { 1024 }

    /// The only element that waits: while it is alone, nothing is counted and no turns are taken.
    private var alone: (lane: FairLane, waiting: Waiting)?
    /// The lanes in which something waits, and those that had something. A turn names its lane by the place here: with
    /// thousands of orders under way, to find each lane by its name once for each step cost more than a small write.
    private var lanes: [Lane] = []
    private var places: [FairLane: Int] = [:]
    private var freePlaces: [Int] = []
    private var turns = TurnHeap()
    /// The thread's time in microseconds, as the lanes share it: it advances when a turn begins.
    package private(set) var time: Int64 = 0
    private var lanesRememberedMax = Self.lanesRememberedMin
    private var lastNumber: Int64 = 0
    private var firstNumber: Int64 = 0
    private var waitingLanes = 0
    /// The lane that goes on, with something waiting and no turn in the heap, and the point up to which it may.
    private var burst: (place: Int, until: Int64)?
    /// The number of elements that wait.
    package private(set) var count = 0

    package init() {}

    /// How many lanes have waiting elements.
    package var laneCount: Int { alone == nil ? waitingLanes : 1 }

    /// How many elements wait in a lane.
    package func count(in lane: FairLane) -> Int {
        if let alone { return alone.lane == lane ? 1 : 0 }
        guard let place = places[lane], lanes[place].next != nil else { return 0 }
        return lanes[place].others.count + 1
    }

    /// - Parameter expected: The estimated time in microseconds.
    package mutating func append(_ number: Int, to lane: FairLane, expected: Int) {
        count += 1
        let waiting = Waiting(number: number, expected: Int64(expected))
        guard count > 1 else {
            // When nothing waits, no lane is owed anything.
            forgetLanes()
            return alone = (lane, waiting)
        }
        joinOthers()
        let place = place(of: lane)
        if lanes[place].next != nil { lanes[place].others.append(waiting) } else { begin(place, with: waiting) }
    }

    /// Takes the next element; nil when nothing waits.
    package mutating func next() -> Int? {
        if let alone {
            self.alone = nil
            count = 0
            return alone.waiting.number
        }
        if let burst {
            // The time stands still meanwhile, so that a lane that comes now has a turn before the lanes that wait longer.
            let ends = (lanes[burst.place].had ?? time) + (lanes[burst.place].next?.expected ?? 0)
            if ends <= burst.until { return take(burst.place, ending: ends, goingOnUntil: burst.until) }
            endBurst()
        }
        while let turn = turns.first {
            turns.removeFirst()
            guard lanes[turn.lane].turn == turn.number, lanes[turn.lane].next != nil else { continue }
            time = max(time, turn.begins)
            return take(turn.lane, ending: turn.ends, goingOnUntil: turn.begins + Self.burstMicroseconds)
        }
        return nil
    }

    /// Takes the next element of a lane, which then goes on or has nothing more.
    private mutating func take(_ place: Int, ending ends: Int64, goingOnUntil until: Int64) -> Int? {
        let taken = lanes[place].next
        count -= 1
        lanes[place].had = ends
        lanes[place].turn = 0
        lanes[place].next = lanes[place].others.popFirst()
        if lanes[place].next != nil {
            burst = (place, until)
        } else {
            burst = nil
            waitingLanes -= 1
            forgetSomeLanes()
        }
        return taken?.number
    }

    private mutating func endBurst() {
        guard let place = burst?.place else { return }
        burst = nil
        takeTurn(place)
    }

    /// Goes back to the time before elements were taken that ``putBack(_:to:expected:)`` then puts back.
    package mutating func goBack(to before: Int64) {
        joinOthers()
        endBurst()
        time = min(time, before)
    }

    /// Puts an element before all of its lane, which gets the turn that it had. The one that was taken last is put back first.
    ///
    /// - Parameter expected: as when it was appended.
    package mutating func putBack(_ number: Int, to lane: FairLane, expected: Int) {
        count += 1
        let waiting = Waiting(number: number, expected: Int64(expected))
        let place = place(of: lane)
        lanes[place].had = (lanes[place].had ?? time) - waiting.expected
        if let next = lanes[place].next {
            lanes[place].others.prepend(next)
            lanes[place].next = waiting
            takeTurn(place, isFirst: true)
        } else {
            begin(place, with: waiting, isFirst: true)
        }
    }

    /// Corrects the time of a taken element by the difference to the estimate.
    package mutating func charge(_ lane: FairLane, microseconds: Int64) {
        // When nothing waits, no lane is owed anything.
        guard alone == nil, count > 0 else { return }
        let place = place(of: lane)
        lanes[place].had = max(lanes[place].had ?? 0, time) + microseconds
        if lanes[place].next != nil, place != burst?.place { takeTurn(place) }
    }

    // MARK: Lanes

    private mutating func place(of lane: FairLane) -> Int {
        if let place = places[lane] { return place }
        let place: Int
        if let free = freePlaces.popLast() {
            lanes[free] = Lane(name: lane)
            place = free
        } else {
            place = lanes.count
            lanes.append(Lane(name: lane))
        }
        places[lane] = place
        return place
    }

    private mutating func forgetLanes() {
        guard !lanes.isEmpty else { return }
        lanes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        freePlaces.removeAll(keepingCapacity: true)
        turns = TurnHeap()
        burst = nil
    }

    /// A lane that has had no more than the others need not be remembered. The bound doubles after each search.
    private mutating func forgetSomeLanes() {
        guard places.count > lanesRememberedMax else { return }
        for (name, place) in places where lanes[place].next == nil && lanes[place].had ?? 0 <= time {
            places[name] = nil
            freePlaces.append(place)
        }
        lanesRememberedMax = max(Self.lanesRememberedMin, 2 * places.count)
    }

    // MARK: Turns

    /// Moves the only waiting element into a lane, since another one arrives.
    private mutating func joinOthers() {
        guard let (lane, waiting) = alone else { return }
        alone = nil
        begin(place(of: lane), with: waiting)
    }

    private mutating func begin(_ place: Int, with waiting: Waiting, isFirst: Bool = false) {
        lanes[place].next = waiting
        waitingLanes += 1
        lanes[place].turn = stand(place, expected: waiting.expected, isFirst: isFirst)
    }

    /// Gives a lane its turn among the others, in place of its earlier one.
    ///
    /// - Parameter isFirst: Whether it goes before turns that end at the same time.
    private mutating func takeTurn(_ place: Int, isFirst: Bool = false) {
        lanes[place].turn = stand(place, expected: lanes[place].next?.expected ?? 0, isFirst: isFirst)
        // Outdated turns are removed when they are the majority.
        if turns.count > 2 * waitingLanes + 64 {
            turns.removeAll { [lanes] in lanes[$0.lane].turn != $0.number }
        }
    }

    /// - Returns: The number of the turn.
    private mutating func stand(_ place: Int, expected: Int64, isFirst: Bool) -> Int64 {
        if isFirst { firstNumber -= 1 } else { lastNumber += 1 }
        let number = isFirst ? firstNumber : lastNumber
        // A lane that is put back begins where it began before, although the time has advanced.
        let had = lanes[place].had
        let begins = isFirst ? had ?? time : max(time, had ?? 0)
        turns.insert(FairTurn(begins: begins, ends: begins + expected, number: number, lane: place))
        return number
    }
}
