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

    // MARK: Cut off together with a journal server

    @Test func `a node that hears nobody and is shown no majority is cut off after 2 s, and either is enough`() {
        var isolation = Isolation(at: 0)
        func passed(from start: Int64, to end: Int64, _ sign: (inout Isolation, Int64) -> Void) -> Int64? {
            for now in stride(from: start, through: end, by: 50) {
                isolation.look(at: now)
                if now % 1000 == 0 { sign(&isolation, now) }
            }
            return isolation.milliseconds(at: end)
        }
        #expect(passed(from: 0, to: 1999) { _, _ in } == nil, "it has just begun to listen")
        #expect(passed(from: 2000, to: 20_000) { $0.noteShown(at: $1) } == nil)
        #expect(passed(from: 20_050, to: 21_950) { _, _ in } == nil)
        #expect(passed(from: 22_000, to: 22_000) { _, _ in } == 2000)
        #expect(passed(from: 22_050, to: 26_000) { _, _ in } == 6000)
        isolation.noteShown(at: 26_010)
        #expect(isolation.milliseconds(at: 26_010) == nil)
    }

    @Test func `a process that stood still has not listened, so it is not cut off`() {
        var isolation = Isolation(at: 0)
        isolation.look(at: 500)
        isolation.look(at: 60_500)
        #expect(isolation.milliseconds(at: 60_500) == nil)
        isolation.look(at: 61_000)
        isolation.look(at: 62_000)
        isolation.look(at: 62_500)
        #expect(isolation.milliseconds(at: 62_500) == 2000)
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
        for writes in [true, false] {
            #expect(
                Self.problem(forWrites: writes) { $0.isolatedMilliseconds = 2100 }
                    == "this node has heard no other node, and seen no majority of the journal, for 2 s")
        }
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
