import Model
import Synchronization
import Telemetry

/// Numbers sessions over all loops as they are opened, so that of two connections of one device the later one stays.
///
/// The loops' clocks cannot say which is the later: they are read once a turn, and two connections of one millisecond
/// would both stay. Between nodes the clock does say it, as far as the clocks are right: there a number is also at least
/// that of the time, and greater than each that another node has named.
///
/// - Confinement: any
final class ClaimNumbers: Sendable {
    /// How many numbers a millisecond has.
    static let perMillisecond: Int64 = 65_536

    private let last = Atomic<Int64>(0)
    private let clock: WallClock?
    /// Differs from one run of a process to the next, and from one node to the next.
    private let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    /// - Parameter clock: nil on a node that is alone.
    init(_ clock: WallClock? = nil) { self.clock = clock }

    /// A number greater than all before it.
    func next() -> Int64 {
        guard let clock else { return last.add(1, ordering: .relaxed).newValue }
        let time = max(0, clock.now().milliseconds) * Self.perMillisecond
        var before = last.load(ordering: .relaxed)
        while true {
            let next = max(before + 1, time)
            let (isSet, seen) = last.compareExchange(expected: before, desired: next, ordering: .relaxed)
            if isSet { return next }
            before = seen
        }
    }

    /// The id of the session of a number, for clients and the log.
    func sessionID(_ number: Int64) -> String { "\(run)-\(String(number, radix: 36))" }

    /// Another node has given this number.
    func note(_ number: Int64) {
        // A number that no clock gives for thousands of years must not use up those that are left.
        guard number < .max / 2 else { return }
        last.max(number, ordering: .relaxed)
    }
}
