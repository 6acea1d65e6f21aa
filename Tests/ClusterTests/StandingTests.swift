import Journal
import Model
import Telemetry
import Testing
@testable import Cluster

/// How a node stands among the others: its lag, its clock, what it says to those that ask whether it is ready.
struct StandingTests {
    // MARK: Lag

    @Test func `the oldest missing entry counts, also while newer ones come`() {
        var lag = LagMeter()
        for step in UInt64(1)...100 {
            lag.note(last: step, at: Int64(step) * 50)
            if step > 4 { lag.note(applied: step - 4) }
        }
        #expect(lag.lag(at: 5000) == 150)
        lag.note(applied: 100)
        #expect(lag.lag(at: 9000) == 0)
        lag.note(last: 101, at: 9000)
        #expect(lag.lag(at: 12_000) == 3000)
    }

    @Test func `a node catches up with the end of the journal as it found it`() {
        var lag = LagMeter()
        lag.note(applied: 10)
        lag.look(at: 0)
        #expect(lag.isCatchingUp, "it does not know the end")
        lag.noteState(last: 500, at: 0)
        lag.note(applied: 499)
        lag.look(at: 5000)
        #expect(lag.isCatchingUp)
        lag.noteState(last: 502, at: 5000)
        lag.note(applied: 501)
        lag.look(at: 5100)
        #expect(!lag.isCatchingUp, "one entry under way is no lag")
        lag.noteState(last: 9000, at: 6000)
        lag.look(at: 9000)
        #expect(!lag.isCatchingUp && lag.lag(at: 9000) > 1000)
    }

    // MARK: Clocks

    /// The clocks of other nodes, by how many milliseconds they are ahead; the one that leads, if any.
    private static func isOff(_ ahead: [String: Int64], leader: String? = nil) -> Bool {
        var clocks = ClockComparison()
        for now in stride(from: Int64(0), through: 3000, by: 250) {
            for (node, difference) in ahead {
                clocks.note(
                    node, leads: node == leader, time: Timestamp(milliseconds: now + difference),
                    own: Timestamp(milliseconds: now), at: now)
            }
        }
        return clocks.isOff
    }

    @Test func `the clock that differs from most is wrong, and of two the one that does not lead`() {
        #expect(!Self.isOff(["b": 4900, "c": -4900]))
        #expect(Self.isOff(["b": 6000, "c": 6100]))
        #expect(!Self.isOff(["b": 6000, "c": 0]), "b is wrong")
        #expect(!Self.isOff(["b": 6000]))
        #expect(Self.isOff(["b": -6000], leader: "b"))
        #expect(!Self.isOff([:]))
    }

    @Test func `heartbeats that waited while the process stood still do not count as a wrong clock`() {
        var clocks = ClockComparison()
        for late in stride(from: Int64(20_000), through: 0, by: -250) {
            for node in ["b", "c"] {
                clocks.note(
                    node, leads: false, time: Timestamp(milliseconds: 100_000 - late),
                    own: Timestamp(milliseconds: 100_000), at: 100_000)
            }
        }
        #expect(!clocks.isOff)
        clocks.compare(at: 102_500)
        #expect(!clocks.isOff)
    }

    // MARK: Ready

    private static func problem(forWrites: Bool = false, _ change: (inout NodeStanding.Facts) -> Void) -> String? {
        var facts = NodeStanding.Facts()
        facts.role = .following
        facts.leader = "b"
        change(&facts)
        let own = Readiness(isDraining: false, fault: nil, commitMilliseconds: nil)
        return Readiness(own, among: facts, lagMilliseconds: 5000, forWrites: forWrites).problem
    }

    @Test func `a node that is late, cut off, stopped or new is not ready, and says why`() {
        #expect(Self.problem { _ in } == nil)
        #expect(Self.problem(forWrites: true) { $0 = NodeStanding.Facts() } == nil)
        #expect(Self.problem { $0.lagMilliseconds = 5000 } == nil)
        #expect(
            Self.problem {
                $0.lagMilliseconds = 7200
                $0.last = 30
                $0.applied = 10
            } == "this node is 7 s late: it lacks 20 entries of the journal")
        #expect(Self.problem { $0.cutOffMilliseconds = 900 } == nil)
        #expect(Self.problem { $0.cutOffMilliseconds = 3100 } == "this node has not reached the journal for 3 s")
        #expect(Self.problem { $0.role = .stopped }?.contains("its log says why") == true)
        #expect(
            Self.problem {
                $0.isCatchingUp = true
                $0.last = 30
            } == "this node reads the journal: 30 entries are missing")
        #expect(Self.problem { $0.leader = nil } == nil)
        #expect(Self.problem(forWrites: true) { $0.leader = nil } == "writes wait: no node leads")
        let draining = Readiness(isDraining: true, fault: nil, commitMilliseconds: nil)
        #expect(
            Readiness(draining, among: NodeStanding.Facts(), lagMilliseconds: 0, forWrites: true).problem == "draining")
    }
}
