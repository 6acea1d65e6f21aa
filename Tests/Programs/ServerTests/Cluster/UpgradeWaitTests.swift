import Authentication
import Cluster
import Configuration
import EventLoop
import Foundation
import Journal
import JournalLink
import Model
import Store
import Telemetry
import TestSupport
import Testing
import ThreadMessages

@testable import Server

/// Members whose program has a migration more than their databases, with a real journal; and a program that lacks one.
@Suite(
    .serialized, .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"),
    .timeLimit(.minutes(2)))
struct UpgradeWaitTests {
    private static let later = Migration(
        "later", "CREATE TABLE later(head INTEGER)", "INSERT INTO later SELECT coalesce(max(seq), 0) FROM changes")
    private static var newest: Int { Schema.migrations.count + 1 }

    /// The folders of nodes that have everything up to the beginning of the journal.
    private static func folders(_ nats: NATSServers, _ names: [String]) throws -> [ClusterFolder] {
        let nodes = names.map { ClusterFolder(nats, node: $0) }
        try nodes[0].found()
        for node in nodes.dropFirst() {
            try node.takeSecrets(of: nodes[0])
            try FileManager.default.copyItem(
                atPath: nodes[0].folder.path + "/watchwise.db", toPath: node.folder.path + "/watchwise.db")
        }
        return nodes
    }

    private static func waitUntilReady(_ server: TestServer) throws {
        for _ in 0..<400 {
            if try HTTPPeer(port: server.port).request("GET", "/readyz?for=writes").status == 200 { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Starts a node of the newer program, on the calling thread.
    private static func start(_ configuration: ServerConfiguration) throws {
        let directory = try DataDirectory(configuration.data)
        let secrets = try #require(try ServerSecret.loadAll(fromFolder: configuration.data))
        let start = ClusterStart(
            configuration: configuration, directory: directory, secrets: secrets, log: ServerLog(minimum: .silent),
            migrations: Schema.migrations + [later])
        try start.prepare()
    }

    private static func started(_ nodes: [ClusterFolder]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes {
                let configuration = node.configuration
                group.addTask { try await Self.onThread { try Self.start(configuration) } }
            }
            try await group.waitForAll()
        }
    }

    /// A start blocks its thread, which must not be one of the test's.
    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Sends the heartbeats of a node `b` with the older program; after some seconds `body` looks, and `b` comes back with the
    /// newer one.
    private static func pretend(
        _ configuration: ServerConfiguration, until isHeard: () -> Bool, _ body: () throws -> Void
    ) throws {
        let talk = try JournalTalk(try JournalOptions(configuration.cluster, name: "test"))
        defer { talk.close() }
        try talk.connect(milliseconds: 5000)
        let seal = JournalSeal(try JournalKeys(ofFolder: configuration.data), schema: Schema.migrations.count)
        let beat = HeartbeatMessage(
            NodeHeartbeat(
                node: "b", term: 0, leads: false, applied: 0, head: 0, schema: Schema.migrations.count, program: "old",
                fingerprint: "", sessions: 0, address: ""),
            run: 5, time: WallClock.system.now())
        for _ in 0..<900 {
            if isHeard() { break }
            talk.client.publish(seal.seal(signal: beat.bytes, to: "heartbeat"), to: "heartbeat")
            talk.wait(milliseconds: 200) { false }
        }
        try body()
        let program = ProgramMessage(node: "b", run: 5, newestSchema: newest, installed: nil)
        for _ in 0..<30 {
            talk.client.publish(seal.seal(signal: program.bytes, to: "program"), to: "program")
            talk.client.publish(seal.seal(signal: beat.bytes, to: "heartbeat"), to: "heartbeat")
            talk.wait(milliseconds: 200) { false }
        }
    }

    @Test func `nodes that come together read what they lack, and migrate at the same entry`() async throws {
        let nats = try NATSServers()
        let nodes = try Self.folders(nats, ["a", "b", "c"])
        // The first one has written; the others lack that.
        let server = try TestServer(in: nodes[0].folder) { $0.cluster = nodes[0].configuration.cluster }
        try Self.waitUntilReady(server)
        _ = try server.pair()
        server.application.stop()
        let before = try nodes.map { try #require(try $0.member) }
        #expect(before[0].place.sequence > before[1].place.sequence + 1)
        try await Self.started(nodes)
        let found = try nodes.map { try #require(try $0.member) }
        #expect(found.map(\.schema) == [Self.newest, Self.newest, Self.newest])
        #expect(Set(found.map(\.place)).count == 1)
        #expect(Set(found.map(\.head)) == [before[0].head])
        #expect(found[0].place.sequence > before[0].place.sequence)
        // The program without the migration says both numbers.
        let problem = #expect(throws: StartProblem.self) { try nodes[0].prepare() }
        #expect(problem?.isConfiguration == true)
        let numbers = "to schema \(Self.newest), and this program knows schema \(Schema.migrations.count)"
        #expect(problem?.description.contains(numbers) == true)
    }

    @Test func `while a node with the older program is heard, the others wait and say so`() async throws {
        let nats = try NATSServers()
        let nodes = try Self.folders(nats, ["a", "b"])
        var configuration = nodes[0].configuration
        let port = try SilentPort().port
        configuration.listen = ["127.0.0.1:\(port)"]
        let place = try #require(try nodes[0].member).place
        async let waiting: Void = Self.onThread { [configuration] in try Self.start(configuration) }
        let text = "waits for the upgrade to schema \(Self.newest): 1 of 2 nodes run the new program\n"
        // Before the door opens nothing listens there.
        var status: Int?
        let isHeard = {
            let answer = try? HTTPPeer(port: port).request("GET", "/readyz")
            status = answer?.status
            return answer.map { String(decoding: $0.body, as: UTF8.self) } == text
        }
        try Self.pretend(configuration, until: isHeard) {
            #expect(status == 503, "within 180 s")
            let other = try nodes[1].member
            #expect(other?.place == place, "the other folder is untouched")
        }
        try await waiting
        #expect(try nodes[0].member?.schema == Self.newest)
        // The one that was away comes later.
        try await Self.started([nodes[1]])
        #expect(try nodes[1].member?.schema == Self.newest)
    }

    @Test func `a running node that reads of newer tables ends, and names both numbers`() throws {
        let nats = try NATSServers()
        let nodes = try Self.folders(nats, ["a"])
        var configuration = nodes[0].configuration
        configuration.cluster.mayLead = false
        let application = try Application(configuration)
        defer { application.stop() }
        let talk = try JournalTalk(try JournalOptions(configuration.cluster, name: "test"))
        defer { talk.close() }
        try talk.connect(milliseconds: 5000)
        let seal = JournalSeal(try JournalKeys(ofFolder: configuration.data), schema: Schema.migrations.count)
        let entries = EntryWriter(.init(term: 1, node: "z", schema: Schema.migrations.count))
        for (index, bytes) in [entries.lead(program: "test"), entries.schema(Self.newest)].enumerated() {
            var outcome: AppendOutcome?
            let sealed = seal.seal(entry: bytes, after: UInt64(index), previous: UInt64(index))
            talk.client.append(sealed, after: UInt64(index), timeoutMilliseconds: 3000) { outcome = $0 }
            talk.wait(milliseconds: 4000) { outcome != nil }
            #expect(outcome == .appended(UInt64(index + 1)))
        }
        talk.wait(milliseconds: 10_000) { application.unfit != nil }
        let numbers = "to schema \(Self.newest), and this program knows schema \(Schema.migrations.count)"
        #expect(application.unfit?.contains(numbers) == true, "\(application.unfit ?? "it goes on")")
    }
}

/// The sentences of an upgrade before it does anything, and while it goes on.
struct UpgradePlanTests {
    private static func beat(_ node: String, schema: Int = 25, leads: Bool = false, run: UInt64 = 1) -> HeartbeatMessage
    {
        HeartbeatMessage(
            NodeHeartbeat(
                node: node, term: 3, leads: leads, applied: 9, head: 9, schema: schema, program: "watchwise/1",
                fingerprint: "f", sessions: 0, address: ""),
            run: run, time: Timestamp(milliseconds: 0))
    }

    private static func program(_ node: String, installed: Int, newest: Int = 25, run: UInt64 = 1) -> ProgramMessage {
        ProgramMessage(
            node: node, run: run, newestSchema: newest,
            installed: .init(program: "watchwise/2", schema: installed, path: "/usr/local/bin/watchwise"))
    }

    private func ears(_ installed: [Int]) -> UpgradeEars {
        var ears = UpgradeEars()
        for (index, schema) in installed.enumerated() {
            ears.note(Self.beat("\(index)", leads: index == 0), at: 0)
            ears.note(Self.program("\(index)", installed: schema))
        }
        return ears
    }

    @Test func `nodes with the new program can be upgraded, and the ones without are named`() {
        let ready = ears([26, 26, 26]).plan(nodes: 3, at: 100)
        #expect(ready.problems == [])
        #expect(ready.from == 25 && ready.to == 26 && ready.leader == "0")
        let lacking = ears([26, 25, 26]).plan(nodes: 3, at: 100).problems
        #expect(lacking.count == 1 && lacking[0].contains("1 has not the new program (schema 26)"), "\(lacking)")
        #expect(ears([26]).plan(nodes: 3, at: 100).problems.first?.contains("1 of 3 nodes are heard: 0") == true)
        #expect(ears([25, 25]).plan(nodes: nil, at: 100).problems.first?.contains("nothing is to be upgraded") == true)
        #expect(ears([26]).plan(nodes: nil, at: 5000).problems.first?.contains("no node is heard") == true)
    }

    @Test func `a node that says nothing of its programs, and a cluster without a leader, are problems`() {
        var ears = ears([26])
        ears.note(Self.beat("old"), at: 0)
        #expect(ears.plan(nodes: nil, at: 10).problems.first?.hasPrefix("old runs watchwise/1") == true)
        ears.note(Self.beat("old", run: 2), at: 0)
        ears.note(Self.program("old", installed: 26, run: 2))
        ears.note(Self.beat("0"), at: 0)
        #expect(ears.plan(nodes: nil, at: 10).problems.first?.hasPrefix("no node leads") == true)
    }

    @Test func `the course of each node is shown, and at the end the missing steps`() {
        var ears = ears([26, 26])
        let plan = ears.plan(nodes: nil, at: 0)
        var watch = UpgradeWatch(plan)
        #expect(watch.look(ears, at: 100, since: 0) == [])
        #expect(!watch.allHaveLeft)
        #expect(watch.look(ears, at: 2000, since: 0) == ["0 has ended", "1 has ended"])
        ears.note(Self.beat("0", run: 2), at: 3000)
        ears.note(Self.program("0", installed: 26, newest: 26, run: 2))
        ears.note(Self.beat("1", run: 2), at: 3000)
        ears.note(Self.program("1", installed: 25, newest: 25, run: 2))
        let back = watch.look(ears, at: 3000, since: 0)
        #expect(back == ["0 is back with watchwise/1, tables of schema 25", "1 is back with the old program"])
        let early = watch.report(ears, at: 3000, since: 0).problems
        #expect(early.contains { $0.hasPrefix("1 came back with the old program") })
        #expect(early.last?.hasPrefix("no tables are upgraded yet") == true)
        ears.note(Self.beat("0", schema: 26, leads: true, run: 3), at: 4000)
        let led = watch.look(ears, at: 4000, since: 0)
        #expect(led == ["0 has the tables of schema 26, entry 9", "0 leads, in term 3: writes go on"])
        #expect(!watch.isDone)
        let late = watch.report(ears, at: 4000, since: 0)
        #expect(late.problems.last?.contains("there is no way back") == true)
        ears.note(Self.beat("1", schema: 26, run: 3), at: 5000)
        _ = watch.look(ears, at: 5000, since: 0)
        #expect(watch.isDone)
        #expect(watch.report(ears, at: 5000, since: 0).problems == [])
        #expect(watch.report(ears, at: 5000, since: 0).writesMilliseconds == 4000)
    }

    @Test func `the output of a program says its tables`() {
        let facts = ProgramWatch.facts("watchwise/2.0 (commit x)\nSQLite 3\ndatabase schema 26\n", of: "/p")
        #expect(facts == .init(program: "watchwise/2.0 (commit x)", schema: 26, path: "/p"))
        #expect(ProgramWatch.facts("watchwise/1.0\n", of: "/p").schema == 0)
        #expect(ProgramWatch.facts("", of: "/p").program == "it prints no version")
        #expect(ProgramWatch.facts(ProgramWatch.ownLine, of: "/p").schema == Founding.schema)
    }
}
