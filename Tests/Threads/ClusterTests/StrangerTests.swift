import EventLoop
import Foundation
import Journal
import JournalLink
import Model
import Telemetry
import Testing
import ThreadMessages
@testable import Cluster

/// Somebody who reaches the journal's servers, and does not have the secret of the cluster.
@Suite(.serialized, .enabled(if: JournalServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct StrangerTests {
    private typealias Three = ThreadTests.Three

    private static let author = JournalEntry.Author(term: 99, node: "x", schema: JournalSeal.schema)
    private static var other: JournalSeal { JournalSeal(JournalKeys([[1, 2, 3]]), schema: JournalSeal.schema) }

    /// A stranger's messages: noise, entries without a code, entries with a code of another secret.
    private static func strays(after last: UInt64) -> [[UInt8]] {
        let writer = EntryWriter(author)
        let lead = writer.lead(program: "x")
        return [
            Array("hello".utf8), [], lead, writer.mark(7), writer.schema(99), Array("WS".utf8),
            other.seal(entry: lead, after: last, previous: last),
        ]
    }

    @Test func `a stranger's messages in the journal take numbers, and nothing else`() throws {
        let three = try Three()
        let leader = try three.leader()
        let user = try JournalUser(try three.servers.options())
        try user.connect()
        let term = three.nodes[leader].standing.now.term
        for number in 0..<60 {
            for node in three.nodes { node.write("\(node.name) \(number)") }
            if number % 3 == 0 {
                let last = try user.state().last
                for stray in Self.strays(after: last) { #expect(user.client.publish(stray, to: "journal")) }
            }
        }
        let texts = (0..<60).flatMap { number in three.nodes.map { "\($0.name) \(number)" } }
        try three.check(texts)
        for node in three.nodes {
            try three.wait(5, "answers") { node.now.answers.count == 60 }
            #expect(node.now.answers == (0..<60).map { "\(node.name) \($0)" }, "in their order")
        }
        // The newest message is a stranger's, and all nodes have everything all the same.
        for stray in Self.strays(after: try user.state().last) { _ = user.client.publish(stray, to: "journal") }
        let last = try user.state().last
        try three.wait(10, "all have passed it") {
            three.nodes.allSatisfy { $0.standing.now.applied >= last && $0.standing.now.lagMilliseconds == 0 }
        }
        #expect(three.nodes[leader].standing.now.term == term, "it led on")
        #expect(three.nodes.allSatisfy { $0.metrics.journal.foreign.now > 60 })
        // They find a leader after it, too.
        three.stop(leader)
        try three.leader()
        three.living[0].write("afterwards")
        try three.check(texts + ["afterwards"])
    }

    @Test func `no message of a stranger is believed, on no subject`() throws {
        let three = try Three()
        let leader = try three.leader()
        let user = try JournalUser(try three.servers.options())
        try user.connect()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        func beat(_ node: String, applied: UInt64) -> [UInt8] {
            HeartbeatMessage(
                NodeHeartbeat(
                    node: node, term: 500, leads: true, applied: applied, head: 0, schema: 1, program: "x",
                    fingerprint: "s", sessions: 0, address: "http://127.0.0.1:1"), run: 5, time: now
            ).bytes
        }
        let claim = NodeSignal.claim(DeviceKey(user: StreamID(stored: 2), device: "d"), number: .max)
        let forged: [(String, [UInt8])] = [
            ("heartbeat", beat("x", applied: 1 << 40)), ("heartbeat", beat("a", applied: 1 << 40)),
            ("upgrade", UpgradeMessage(schema: 99).bytes),
            ("program", ProgramMessage(node: "a", run: 5, newestSchema: 99, installed: nil).bytes),
            ("claim", claim.encoded(by: "x")), ("commands.a", [1, 2, 3]), ("refused.a", [1, 2, 3]),
            ("presence", [1, 2, 3]), ("verified", [1, 2, 3]),
        ]
        for round in 0..<20 {
            for (subject, bytes) in forged {
                _ = user.client.publish(bytes, to: subject)
                _ = user.client.publish(Self.other.seal(signal: bytes, to: subject), to: subject)
            }
            for node in three.nodes { node.write("\(node.name) \(round)") }
            try user.wait(
                for: "a pause", until: { [end = ContinuousClock.now + .milliseconds(20)] in ContinuousClock.now > end })
        }
        try three.check((0..<20).flatMap { round in three.nodes.map { "\($0.name) \(round)" } })
        #expect(three.nodes.allSatisfy { $0.metrics.journal.unreadableMessages.now == 0 }, "nothing of it is read")
        #expect(three.nodes[leader].standing.now.role == .leading)
        // A leader that is replaced now is found as soon as the stranger is silent.
        three.stop(leader)
        try three.leader()
    }

    @Test func `a node with another secret takes no part, is not ready, and disturbs nobody`() throws {
        let three = try Three()
        try three.leader()
        let stranger = try NodeUnderTest("d", try three.servers.options(), secret: "other")
        defer { stranger.stop() }
        for number in 0..<10 {
            three.nodes[0].write("\(number)")
            usleep(200_000)
        }
        try three.check((0..<10).map { "\($0)" })
        #expect(three.nodes.allSatisfy { $0.standing.now.role != .stopped })
        let facts = stranger.standing.now
        #expect(facts.role == .following && facts.leader == nil && facts.isCatchingUp)
        #expect(stranger.now.log.isEmpty && stranger.metrics.journal.foreign.now > 10)
    }

    @Test func `of two nodes with different secrets none leads beside the other`() throws {
        let servers = try JournalServers(1)
        let user = try JournalUser(try servers.options())
        try user.makeStream(replicas: 1)
        let first = try NodeUnderTest("a", try servers.options(), secret: "s")
        defer { first.stop() }
        try user.wait(for: "the first one leads") { first.standing.now.role == .leading }
        let second = try NodeUnderTest("b", try servers.options(), secret: "t")
        defer { second.stop() }
        let end = ContinuousClock.now + .seconds(6)
        while ContinuousClock.now < end {
            #expect(second.standing.now.role != .leading)
            first.write("on")
            usleep(100_000)
        }
        #expect(first.standing.now.role == .leading && second.now.log.isEmpty)
    }
}
