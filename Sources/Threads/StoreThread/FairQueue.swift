import ThreadMessages

/// The work that waits for a thread. Each lane keeps its order, and the lanes take turns by the time that they have had
/// (weighted fair queueing: P. Goyal, H. Vin, H. Cheng, Start-time Fair Queuing, 1996; here the next turn goes to the
/// lane that would be done first).
///
/// The time of an element is estimated, and corrected when it was measured. So a lane with much work, or with slow
/// work, waits longer, and a lane with little work waits for neither, however many the others are.
///
/// A lane whose turn has come goes on with small work for a moment. Else the eight messages of each of a hundred chats would
/// come one chat after the other: each commit would touch the pages of all chats, and each socket get eight writes for one.
///
/// The order is ``FairSchedule``'s; here are the elements alone. This stands in the module of its users, because the compiler makes
/// fast code of generic code in its own module only (code with the word `package` is not copied to other modules).
///
/// - Confinement: any
struct FairQueue<Element> {
    /// An empty queue keeps at most this many places.
    private static var placesKeptMax: Int { 4096 }

    private var schedule = FairSchedule()
    /// The elements that wait, each at the number by which the schedule knows it.
    private var elements: [Element?] = []
    private var freePlaces: [Int] = []

    init() {}

    /// The number of the elements that wait.
    var count: Int { schedule.count }

    var isEmpty: Bool { schedule.count == 0 }

    /// The thread's time in microseconds, as the lanes share it: it advances when a turn begins.
    var time: Int64 { schedule.time }

    /// How many lanes have waiting elements.
    var laneCount: Int { schedule.laneCount }

    /// How many elements wait in a lane.
    func count(in lane: FairLane) -> Int { schedule.count(in: lane) }

    /// - Parameter expected: The estimated time in microseconds.
    mutating func append(_ element: Element, to lane: FairLane, expected: Int) {
        schedule.append(number(for: element), to: lane, expected: expected)
    }

    /// Takes the next element; nil when nothing waits.
    mutating func next() -> Element? {
        guard let number = schedule.next() else { return nil }
        let element = elements[number]
        elements[number] = nil
        freePlaces.append(number)
        if schedule.count == 0, elements.count > Self.placesKeptMax {
            elements = []
            freePlaces = []
        }
        return element
    }

    /// Puts back the elements that were taken last and could not be processed, in the order in which they were taken.
    ///
    /// The time goes back, too, and each lane gets the turn that it had. If all lanes began again, a lane with slightly
    /// more work than most would come last each time.
    ///
    /// - Parameter before: ``time`` before the first of them was taken.
    mutating func putBack(
        _ elements: ArraySlice<Element>, since before: Int64, _ lane: (Element) -> (FairLane, expected: Int)
    ) {
        guard !elements.isEmpty else { return }
        schedule.goBack(to: before)
        for element in elements.reversed() {
            let (lane, expected) = lane(element)
            schedule.putBack(number(for: element), to: lane, expected: expected)
        }
    }

    /// Corrects the time of a taken element by the difference to the estimate.
    mutating func charge(_ lane: FairLane, microseconds: Int64) {
        schedule.charge(lane, microseconds: microseconds)
    }

    private mutating func number(for element: Element) -> Int {
        guard let free = freePlaces.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[free] = element
        return free
    }
}
