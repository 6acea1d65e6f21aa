import EventLoop
import Foundation
import Journal
import JournalLink
import Telemetry
import Testing
import ThreadMessages
@testable import Cluster

/// The thread of the cluster on three nodes, against real NATS servers.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ThreadTests {
    /// Three nodes and their journal.
    final class Three {
        let servers: JournalServers
        private(set) var nodes: [NodeUnderTest] = []
        private var stopped: Set<Int> = []

        init(servers count: Int = 1) throws {
            servers = try JournalServers(count)
            let user = try JournalUser(try servers.options())
            try user.makeStream(replicas: count)
            nodes = try ["a", "b", "c"].map { try NodeUnderTest($0, try servers.options()) }
        }

        deinit { for index in nodes.indices where !stopped.contains(index) { nodes[index].stop() } }

        func stop(_ index: Int) {
            stopped.insert(index)
            nodes[index].stop()
        }

        var living: [NodeUnderTest] { nodes.indices.filter { !stopped.contains($0) }.map { nodes[$0] } }

        @discardableResult
        func leader(_ seconds: Double = 20) throws -> Int {
            var found: Int?
            try wait(seconds, "a leader") {
                let leading = nodes.indices.filter { !stopped.contains($0) && nodes[$0].standing.now.role == .leading }
                found = leading.count == 1 ? leading.first : nil
                return found.map { index in
                    living.allSatisfy { $0.standing.now.leader == nodes[index].name && !$0.standing.now.isCatchingUp }
                } ?? false
            }
            return try #require(found)
        }

        func wait(_ seconds: Double, _ what: String, _ isTrue: () -> Bool) throws {
            let end = ContinuousClock.now + .seconds(seconds)
            while !isTrue() {
                guard ContinuousClock.now < end else {
                    let state = nodes.map { "\($0.name): \($0.standing.now), log \($0.now.log.count), \($0.now.place)" }
                    throw JournalUser.Late(description: "\(what), not within \(seconds) s: \(state)")
                }
                usleep(2000)
            }
        }

        /// All nodes have the same texts, each once.
        func check(_ texts: [String], _ seconds: Double = 30) throws {
            try wait(seconds, "\(texts.count) texts everywhere") {
                living.allSatisfy { $0.now.log.count >= texts.count }
            }
            for node in living {
                #expect(node.now.log.sorted() == texts.sorted())
                #expect(node.now.log == living[0].now.log)
            }
        }
    }

    @Test func `one of three nodes leads, and writes of all nodes are done once and in order`() throws {
        let three = try Three()
        let leader = try three.leader()
        for number in 0..<300 { for node in three.nodes { node.write("\(node.name) \(number)") } }
        let texts = (0..<300).flatMap { number in three.nodes.map { "\($0.name) \(number)" } }
        try three.check(texts)
        for node in three.nodes {
            try three.wait(5, "answers") { node.now.answers.count == 300 }
            #expect(node.now.answers == (0..<300).map { "\(node.name) \($0)" }, "in their order")
        }
        for node in three.nodes { node.write("refuse \(node.name)") }
        try three.wait(5, "refusals") { three.nodes.allSatisfy { $0.now.refusals.count == 1 } }
        let facts = three.nodes[leader].standing.now
        #expect(facts.role == .leading && facts.unprovedMilliseconds < 2000 && facts.lagMilliseconds < 1000)
        #expect(three.nodes.allSatisfy { $0.metrics.journal.fenced.now == 0 })
        let handed = three.nodes.map { $0.metrics.journal.forwarded.now }
        #expect(handed.reduce(0, +) >= 602)
    }

    @Test func `when the leading node is gone another leads, and nothing is lost or doubled`() throws {
        let three = try Three()
        let leader = try three.leader()
        let others = three.nodes.indices.filter { $0 != leader }.map { three.nodes[$0] }
        for number in 0..<50 { for node in others { node.write("\(node.name) \(number)") } }
        three.stop(leader)
        for number in 50..<100 { for node in others { node.write("\(node.name) \(number)") } }
        try three.leader()
        let texts = (0..<100).flatMap { number in others.map { "\($0.name) \(number)" } }
        try three.check(texts)
        for node in others { #expect(node.now.answers == (0..<100).map { "\(node.name) \($0)" }) }
    }

    @Test func `a node that is about to stop leaves the lead at once, and one that steps down takes it again later`()
        throws
    {
        let three = try Three()
        let leader = try three.leader()
        let began = ContinuousClock.now
        three.nodes[leader].mail.cluster?.post(.prepareToStop)
        try three.wait(5, "another leader") {
            three.nodes.indices.contains { $0 != leader && three.nodes[$0].standing.now.role == .leading }
        }
        print("another node led after \((ContinuousClock.now - began) / .milliseconds(1)) ms")
        #expect(ContinuousClock.now - began < .seconds(1.5))
        three.nodes[leader].write("from the one that stops")
        try three.check(["from the one that stops"])
        let second = try three.leader()
        #expect(second != leader)
        three.nodes[second].mail.cluster?.post(.stepDown)
        try three.wait(10, "the third") {
            three.nodes.indices.contains { $0 != second && three.nodes[$0].standing.now.role == .leading }
        }
    }

    @Test func `the journal's leader is killed while all write, and each write is done once`() throws {
        let three = try Three(servers: 3)
        try three.leader(30)
        let user = try JournalUser(try three.servers.options())
        try user.connect()
        let journal = try #require(three.servers.index(of: try user.leader()))
        for number in 0..<200 {
            for node in three.nodes { node.write("\(node.name) \(number)") }
            if number == 60 { three.servers.kill(journal) }
            usleep(2000)
        }
        let began = ContinuousClock.now
        let texts = (0..<200).flatMap { number in three.nodes.map { "\($0.name) \(number)" } }
        try three.check(texts, 60)
        print("all written \((ContinuousClock.now - began) / .milliseconds(1)) ms after the last one was sent")
        for node in three.nodes {
            try three.wait(5, "answers") { node.now.answers.count == 200 }
            #expect(node.now.answers == (0..<200).map { "\(node.name) \($0)" })
        }
    }

    @Test func `all servers of the journal are gone for a while, and writes wait for them`() throws {
        let three = try Three()
        try three.leader()
        for node in three.nodes { node.write("before \(node.name)") }
        try three.check(three.nodes.map { "before \($0.name)" })
        three.servers.kill(0)
        try three.wait(10, "all cut off") { three.nodes.allSatisfy { $0.standing.now.cutOffMilliseconds > 500 } }
        for node in three.nodes { node.write("during \(node.name)") }
        usleep(6_000_000)
        #expect(three.nodes.allSatisfy { $0.now.log.count == 3 })
        try three.servers.start(0)
        try three.check(three.nodes.flatMap { ["before \($0.name)", "during \($0.name)"] }, 40)
        #expect(three.nodes.contains { $0.metrics.journal.reconnects.now > 0 })
    }

    @Test func `a leading node whose commit stands for 6 s hands the lead on, and may lead again when it goes on`()
        throws
    {
        let three = try Three()
        let leader = try three.leader()
        let stuck = three.nodes[leader]
        let mended = DispatchSemaphore(value: 0)
        let thread = Thread { stuck.storage.duringCommit { mended.wait() } }
        let began = ContinuousClock.now
        thread.start()
        try three.wait(15, "another leader") {
            three.nodes.contains { $0 !== stuck && $0.standing.now.role == .leading }
        }
        #expect((5.9...9).contains((ContinuousClock.now - began) / .seconds(1)))
        #expect(stuck.standing.now.role == .following)
        for node in three.nodes where node !== stuck { node.write("of \(node.name)") }
        try three.check(three.nodes.filter { $0 !== stuck }.map { "of \($0.name)" })
        mended.signal()
        // It has applied entries, so it works; when the others are gone it leads.
        for index in three.nodes.indices where index != leader { three.stop(index) }
        try three.wait(10, "the node that stood still leads") { stuck.standing.now.role == .leading }
    }

    @Test func `a node alone is cut off when the journal has no majority, and several nodes are not`() throws {
        let three = try Three(servers: 3)
        try three.leader(30)
        for server in 1...2 { three.servers.kill(server) }
        usleep(6_000_000)
        let facts = three.nodes.map(\.standing.now)
        #expect(
            facts.allSatisfy { $0.cutOffMilliseconds == 0 && $0.unprovedMilliseconds > 2000 }, "they hear each other")
        for server in 1...2 { try three.servers.start(server) }
        three.nodes[0].write("the journal has its majority again")
        try three.check(["the journal has its majority again"], 40)
        let leader = try three.leader(30)
        let node = three.nodes[leader]
        for index in three.nodes.indices where index != leader { three.stop(index) }
        try three.wait(30, "the last node leads") { node.standing.now.role == .leading }
        let end = ContinuousClock.now + .seconds(6)
        var worst: Int64 = 0
        while ContinuousClock.now < end {
            worst = max(worst, Int64(node.standing.now.cutOffMilliseconds))
            usleep(50_000)
        }
        #expect(worst < 4000, "the journal shows its majority, though late where its servers wait for a processor")
        for server in 1...2 { three.servers.kill(server) }
        try three.wait(12, "the last node is cut off") { node.standing.now.cutOffMilliseconds >= 2000 }
        try three.wait(20, "it does not lead") { node.standing.now.role == .following }
        for server in 1...2 { try three.servers.start(server) }
        try three.wait(30, "it leads again") {
            node.standing.now.role == .leading && node.standing.now.cutOffMilliseconds < 2000
        }
    }
}
