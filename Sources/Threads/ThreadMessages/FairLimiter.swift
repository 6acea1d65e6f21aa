import Model
import ThreadMessages

/// The watches of one loop whose documents are read: a few at once, the others wait, each user's and each network's in
/// turn.
///
/// A page of documents takes hundreds of kilobytes from when it is read until it is sent, and readers are faster than
/// loops: if hundreds of clients come together, tens of megabytes would wait between them.
///
/// - Confinement: loop
struct WatchReads {
    private var waiting = FairQueue<ConnectionAddress>()
    private var inWork = 0

    /// A session wants to read.
    ///
    /// - Parameter expected: microseconds that it will take.
    /// - Returns: whether it may read now; if not, ``next()`` returns it when it may.
    mutating func begin(_ address: ConnectionAddress, in lane: FairLane, expected: Int) -> Bool {
        guard inWork >= DocumentLimits.watchReadsMax || !waiting.isEmpty else {
            inWork += 1
            return true
        }
        waiting.append(address, to: lane, expected: expected)
        return false
    }

    /// A reader has answered one, or a session that was next does not want to read any more.
    mutating func ended() { inWork -= 1 }

    /// Takes a session that may read now; nil when none waits, or enough are in work.
    mutating func next() -> ConnectionAddress? {
        guard inWork < DocumentLimits.watchReadsMax, let address = waiting.next() else { return nil }
        inWork += 1
        return address
    }
}
