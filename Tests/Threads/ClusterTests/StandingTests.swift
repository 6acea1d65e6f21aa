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
            lag.note(last: step, saidAgo: 0, at: Int64(step) * 50)
            if step > 4 { lag.note(applied: step - 4) }
        }
        #expect(lag.lag(at: 5000) == 200, "since the statement before that of the oldest missing one")
        lag.note(applied: 100)
        #expect(lag.lag(at: 9000) == 0)
        lag.note(last: 101, saidAgo: 0, at: 9000)
        #expect(lag.lag(at: 12_000) == 7000, "nothing was heard for 4 s before")
    }

    @Test func `a node that was cut off lacks what has come meanwhile since it last heard where the journal ends`() {
        var lag = LagMeter()
        lag.note(applied: 100)
        for now in stride(from: Int64(0), through: 10_000, by: 250) { lag.note(last: 100, saidAgo: 0, at: now) }
        // Its own server greets, and knows no more; an entry says nothing of those after it.
        lag.noteState(last: 100, saidAgo: nil, at: 69_000)
        lag.note(last: 101, saidAgo: nil, at: 69_500)
        #expect(lag.lag(at: 69_500) == 59_500)
        lag.note(applied: 101)
        lag.note(last: 130, saidAgo: 0, at: 70_000)
        #expect(lag.lag(at: 70_000) == 60_000)
        lag.note(applied: 130)
        #expect(lag.lag(at: 70_100) == 0)
        // One that was cut off while nothing happened lacks nothing.
        lag.note(last: 130, saidAgo: 0, at: 140_000)
        #expect(lag.lag(at: 140_000) == 0)
        lag.note(last: 131, saidAgo: 0, at: 140_250)
        #expect(lag.lag(at: 140_300) == 300)
    }

    @Test func `a node catches up with the end of the journal as it found it`() {
        var lag = LagMeter()
        lag.note(applied: 10)
        lag.look(at: 0)
        #expect(lag.isCatchingUp, "it does not know the end")
        lag.noteState(last: 500, saidAgo: 0, at: 0)
        lag.note(applied: 499)
        lag.look(at: 5000)
        #expect(lag.isCatchingUp)
        lag.noteState(last: 500, saidAgo: 0, at: 4900)
        lag.noteState(last: 502, saidAgo: 0, at: 5000)
        lag.note(applied: 501)
        lag.look(at: 5100)
        #expect(!lag.isCatchingUp, "one entry under way is no lag")
        lag.noteState(last: 9000, saidAgo: 0, at: 6000)
        lag.look(at: 9000)
        #expect(!lag.isCatchingUp && lag.lag(at: 9000) > 1000)
    }

    @Test func `a node whose database failed lags until it has the entries again that it had read`() {
        var lag = LagMeter()
        lag.note(last: 80, saidAgo: 0, at: 1000)
        lag.note(applied: 80)
        lag.noteLoss(after: 77, at: 1100)
        #expect(lag.applied == 77 && lag.lag(at: 1100) > 5000 && lag.lag(at: 1100) < 15_000)
        lag.note(applied: 80)
        #expect(lag.lag(at: 1200) == 0)
        lag.noteLoss(after: 80, at: 1300)
        #expect(lag.lag(at: 1300) == 0, "it has everything")
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

    @Test func `the time since the newest proof is one number, and whether another node is heard stands beside it`() {
        var proof = JournalProof(at: 0)
        for now in stride(from: Int64(0), through: 20_000, by: 50) {
            proof.look(at: now)
            if now % 1000 == 0 { proof.noteProof(at: now) }
            if now <= 10_000, now % 250 == 0 { proof.noteOther(leads: false, at: now) }
            #expect(proof.unproved(at: now) < 1000)
            #expect(proof.hearsOthers(at: now) == (now <= 11_500))
        }
        for now in stride(from: Int64(20_050), through: 26_000, by: 50) { proof.look(at: now) }
        #expect(proof.unproved(at: 26_000) == 6000)
        proof.noteProof(at: 26_010)
        #expect(proof.unproved(at: 26_010) == 0)
    }

    @Test func `a process that stood still is cut off until it hears of the others, and not for as long as it stood`() {
        var proof = JournalProof(at: 0)
        proof.look(at: 500)
        proof.look(at: 60_500)
        #expect(proof.unproved(at: 60_500) == MemberLimits.cutOffMilliseconds && !proof.hearsOthers(at: 60_500))
        // Words that waited for it are as old as they say.
        proof.noteOther(leads: false, at: 2000)
        #expect(!proof.hearsOthers(at: 60_500))
        proof.noteOther(leads: false, at: 60_400)
        #expect(proof.hearsOthers(at: 60_500))
        for now in stride(from: Int64(61_000), through: 62_500, by: 500) { proof.look(at: now) }
        #expect(proof.unproved(at: 62_500) == 4000 && !proof.hearsOthers(at: 62_500))
    }

    @Test func `a node that was cut off waits for the journal or the leader: another node may lack the same`() {
        for (knows, isProof) in [(true, false), (true, true), (false, false)] {
            var proof = JournalProof(at: 0)
            for now in stride(from: Int64(0), through: 10_000, by: 50) {
                proof.look(at: now)
                #expect(proof.isAmongOthers(at: now) == (now <= LeadingLimits.silence))
            }
            // A node is back that does not lead: it may have been cut off, too.
            proof.noteOther(leads: false, at: 10_010)
            proof.look(at: 10_050)
            #expect(proof.hearsOthers(at: 10_050) && !proof.isAmongOthers(at: 10_050))
            if isProof { proof.noteProof(at: 10_060) } else { proof.noteOther(leads: knows, at: 10_060) }
            proof.look(at: 10_100)
            #expect(proof.isAmongOthers(at: 10_100) == knows)
        }
    }

    @Test func `a short pause takes nothing back`() {
        var proof = JournalProof(at: 0)
        proof.look(at: 500)
        proof.noteProof(at: 500)
        proof.noteOther(leads: false, at: 500)
        proof.look(at: 1600)
        #expect(proof.unproved(at: 1600) == 1100 && proof.hearsOthers(at: 1600))
    }

    // MARK: The age of heartbeats

    @Test func `the age of a heartbeat is the time since the own message that the echo after it names`() throws {
        var (own, other) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "b", run: 2))
        #expect(own.age(of: other.next(at: 0), at: 0) == nil, "it has not heard this node yet")
        var held: [EchoMessage] = []
        for step in Int64(1)..<20 {
            let now = step * 250
            _ = other.age(of: own.next(at: now), at: now + 20)
            held.append(other.next(at: now + 100))
            #expect(own.age(of: try #require(held.last), at: now + 120) == 0, "as long as it usually takes")
        }
        // The link was cut, and delivers what it held; or somebody sends it again.
        let late = [3, 4].compactMap { own.age(of: held[$0], at: 10_000) }
        #expect(late == [8875, 8620])
        for step in Int64(40)..<400 { _ = own.next(at: step * 250) }
        #expect(own.age(of: held[18], at: 100_000) == nil, "so old that it is forgotten")
        // Another run of this node begins its numbers at 1 again.
        var later = HeartbeatEchoes(of: "a", run: 3)
        _ = later.next(at: 100_000)
        #expect(later.age(of: held[0], at: 100_100) == nil)
    }

    @Test
    func
        `the heartbeats of a process wait for its first echo, and those of a program without echoes only for a second`()
    {
        var (own, other) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "b", run: 2))
        let first = own.mustShow("b", run: 2, at: 0)
        #expect(first, "it may have waited in a link that was cut")
        _ = own.age(of: other.next(at: 0), at: 0)
        let later = own.mustShow("b", run: 2, at: 5000)
        // An older program takes its place, and gives none. The link may deliver many of its heartbeats at once.
        let older = [6000, 6000, 6010, 7000, 7250].map { own.mustShow("b", run: 3, at: $0) }
        let another = own.mustShow("c", run: 2, at: 7250)
        #expect(later && another)
        #expect(older == [true, true, true, false, false])
    }

    @Test func `a process of the same name is another node only when it has heard this one, or gives no echoes`() {
        var own = HeartbeatEchoes(of: "a", run: 2)
        var (before, beside) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "a", run: 3))
        // The link kept messages of the process before this one, and gives them in parts.
        let held = (0..<20).map { before.next(at: Int64($0) * 250) }
        var shown = [5000, 5000, 5500].map { own.hasNamesake(run: 1, at: $0) }
        shown += held.map { message in
            _ = own.age(of: message, at: 9000)
            return own.hasNamesake(run: 1, at: 9000)
        }
        #expect(shown.allSatisfy { !$0 })
        // Another process lives now.
        _ = beside.age(of: own.next(at: 10_000), at: 10_010)
        let first = own.hasNamesake(run: 3, at: 10_200)
        _ = own.age(of: beside.next(at: 10_200), at: 10_210)
        let second = own.hasNamesake(run: 3, at: 10_450)
        #expect(!first && second)
        // An older program gives no echoes.
        let older = [20_000, 20_250, 21_000].map { own.hasNamesake(run: 4, at: $0) }
        #expect(older == [false, false, true])
    }

    @Test func `a slow network is no cut, up to two seconds there and back`() throws {
        for delay in [Int64(300), 900, 1500] {
            var (own, other) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "b", run: 2))
            var ages: [Int64] = []
            var (there, back): ([(Int64, EchoMessage)], [(Int64, EchoMessage)]) = ([], [])
            for now in stride(from: Int64(0), through: 30_000, by: 50) {
                if now % 250 == 0 { there.append((now + delay, own.next(at: now))) }
                if now % 250 == 100 { back.append((now + delay, other.next(at: now))) }
                if let first = there.first, first.0 == now {
                    _ = other.age(of: first.1, at: now)
                    there.removeFirst()
                }
                if let first = back.first, first.0 == now {
                    if let age = own.age(of: first.1, at: now) { ages.append(age) }
                    back.removeFirst()
                }
            }
            let worst = try #require(ages.max())
            #expect(delay < 1000 ? worst < 300 : worst > 900, "\(delay) ms: \(worst)")
        }
    }

    @Test func `a message that comes out of order does not make the next echo older`() {
        var (own, other) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "b", run: 2))
        let messages = (0..<3).map { other.next(at: $0 * 250) }
        for message in [messages[0], messages[2], messages[1]] { _ = own.age(of: message, at: 800) }
        #expect(own.next(at: 900).heard.map(\.number) == [3])
        var restarted = HeartbeatEchoes(of: "b", run: 4)
        _ = own.age(of: restarted.next(at: 1000), at: 1000)
        #expect(own.next(at: 1100).heard == [.init(node: "b", run: 4, number: 1)])
    }

    @Test func `an echo names nobody who is gone, and takes no number for its own that it has not given`() {
        var (own, other) = (HeartbeatEchoes(of: "a", run: 1), HeartbeatEchoes(of: "b", run: 2))
        _ = own.age(of: other.next(at: 0), at: 0)
        #expect(own.next(at: 1000).heard.map(\.node) == ["b"])
        #expect(own.next(at: 20_000).heard.isEmpty)
        for number in [UInt64(0), 3, .max] {
            let message = EchoMessage(
                .init(node: "b", run: 2, number: 9), heard: [.init(node: "a", run: 1, number: number)])
            #expect(own.age(of: message, at: 20_100) == nil)
        }
    }

    @Test func `the word of a node that does not lead counts until somebody who knows speaks`() {
        var lag = LagMeter()
        lag.note(applied: 100)
        lag.note(last: 100, saidAgo: 0, at: 10_000)
        // The leader has just spoken: a node with a history that has ended may say what it likes.
        lag.noteClaim(900, at: 10_250)
        #expect(lag.lag(at: 10_250) == 0 && lag.last == 100)
        // After a cut the first one that is heard does not lead.
        lag.noteClaim(101, at: 70_000)
        #expect(lag.lag(at: 70_000) == 60_000 && lag.expected == 101 && lag.last == 100)
        // The leader's words from before the cut come late, and are no answer to that.
        lag.note(last: 100, saidAgo: 59_000, at: 70_050)
        #expect(lag.lag(at: 70_050) >= 59_000)
        lag.note(last: 101, saidAgo: 20, at: 70_100)
        #expect(lag.lag(at: 70_100) >= 59_000 && lag.last == 101)
        lag.note(applied: 101)
        #expect(lag.lag(at: 70_200) == 0)
        // One that is of another history is forgotten with the leader's next word.
        lag.noteClaim(900, at: 80_000)
        #expect(lag.lag(at: 80_000) > 0)
        lag.note(last: 101, saidAgo: 0, at: 80_100)
        #expect(lag.lag(at: 80_100) == 0 && lag.expected == 101)
    }

    // MARK: Deaf servers of the journal

    @Test func `a node whose entries come and that is not heard lets another server be tried, once in ten seconds`() {
        var deafness = Deafness(at: 0)
        var changes: [Int64] = []
        for now in stride(from: Int64(0), through: 60_000, by: 50) {
            if now % 250 == 0 { deafness.noteHeartbeat("c", at: now) }
            if now % 1000 == 0 {
                deafness.noteEntry("b", at: now)
                deafness.noteEntry("c", at: now)
            }
            if deafness.look(isReached: true, read: 5, last: 5, at: now) != nil { changes.append(now) }
        }
        #expect(changes == [10_000, 20_000, 30_000, 40_000, 50_000, 60_000])
        deafness.noteHeartbeat("b", at: 60_100)
        deafness.noteEntry("b", at: 60_200)
        #expect(
            deafness.look(isReached: true, read: 5, last: 5, at: 75_000) == nil,
            "it was heard when its entry came, and died later")
    }

    @Test
    func `a node that is silent after its last entry, or before a new connection has brought anything, is not unheard`()
    {
        var deafness = Deafness(at: 0)
        deafness.noteHeartbeat("b", at: 11_000)
        deafness.noteEntry("b", at: 11_100)
        for now in stride(from: Int64(11_150), through: 40_000, by: 50) {
            #expect(deafness.look(isReached: true, read: 5, last: 5, at: now) == nil)
        }
        #expect(deafness.look(isReached: false, read: 5, last: 5, at: 40_000) == nil)
        deafness.noteEntry("b", at: 40_100)
        #expect(deafness.look(isReached: true, read: 5, last: 5, at: 42_900) == nil)
        deafness.noteHeartbeat("b", at: 42_950)
        #expect(deafness.look(isReached: true, read: 5, last: 5, at: 60_000) == nil)
    }

    @Test
    func `a server that gives no entry for 3 s, although there are some, is left, and one that gives some is not`() {
        var deafness = Deafness(at: 0)
        var changes: [Int64] = []
        for now in stride(from: Int64(0), through: 60_000, by: 50) {
            // Cut off with its server from 10 to 40 s; the server gives entries again 8 s later.
            let read: UInt64 = now < 48_000 ? 5 : 5 + UInt64(now - 48_000) / 50
            let reason = deafness.look(isReached: true, read: read, last: now < 40_000 ? 5 : 900, at: now)
            if let reason {
                #expect(reason == "the journal has entries up to 900, and this server gives none after 5")
                changes.append(now)
            }
        }
        #expect(changes == [43_000])
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
        for writes in [true, false] {
            func unproved(_ milliseconds: Int64, hearing hearsOthers: Bool) -> String? {
                Self.problem(forWrites: writes) {
                    ($0.unprovedMilliseconds, $0.hearsOthers) = (milliseconds, hearsOthers)
                }
            }
            #expect(unproved(1999, hearing: false) == nil && unproved(4999, hearing: true) == nil)
            #expect(
                unproved(2100, hearing: false)
                    == "this node has been cut off from the others, and the journal has shown it no majority, for 2 s")
            let waits = "writes wait: the journal has shown no majority for 7 s"
            #expect(unproved(7100, hearing: true) == (writes ? waits : nil))
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
