/// Lets a few connections do their work at once; the others wait, each lane in its turn.
///
/// The watches of a loop read their documents so: a page of documents takes hundreds of kilobytes from when it is read until it is sent,
/// and readers are faster than loops. If hundreds of clients come together, tens of megabytes would wait between them.
///
/// - Confinement: any
package struct FairLimiter {
    private let inWorkMax: Int
    private var inWork = 0
    private var turns = FairSchedule()
    /// Those that wait, by their numbers in the schedule.
    private var waiting: [Int: ConnectionAddress] = [:]
    private var lastNumber = 0

    /// - Parameter inWorkMax: How many may be in work at once.
    package init(inWorkMax: Int) { self.inWorkMax = inWorkMax }

    /// A connection wants to begin.
    ///
    /// - Parameter expected: microseconds that it will take.
    /// - Returns: whether it may begin now; if not, ``next()`` returns it when it may.
    package mutating func begin(_ address: ConnectionAddress, in lane: FairLane, expected: Int) -> Bool {
        guard inWork >= inWorkMax || !waiting.isEmpty else {
            inWork += 1
            return true
        }
        lastNumber += 1
        waiting[lastNumber] = address
        turns.append(lastNumber, to: lane, expected: expected)
        return false
    }

    /// One is done, or a connection that was next does not want to begin any more.
    package mutating func ended() { inWork -= 1 }

    /// Takes a connection that may begin now; nil when none waits, or enough are in work.
    package mutating func next() -> ConnectionAddress? {
        guard inWork < inWorkMax, let number = turns.next() else { return nil }
        inWork += 1
        return waiting.removeValue(forKey: number)
    }
}
