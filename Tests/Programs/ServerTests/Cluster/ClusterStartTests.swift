import Authentication
import Cluster
import Configuration
import EventLoop
import Foundation
import JSON
import Journal
import JournalLink
import Model
import Store
import Telemetry
import TestSupport
import Testing
@testable import Server

/// How a folder becomes a member's: by the database of a running node, over real sockets and with a real journal.
@Suite(.serialized, .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ClusterStartTests {
    /// A cluster with its first node, which serves its database.
    private struct Cluster {
        let nats: NATSServers
        let founder: ClusterFolder
        let server: TestServer
        let pair: Pair
        var address: String { "http://127.0.0.1:\(server.port)" }

        init(_ size: ClusterFounder.Size = ClusterFolder.size) throws {
            nats = try NATSServers()
            founder = ClusterFolder(nats, node: "a")
            try founder.found(size)
            server = try TestServer(in: founder.folder) { _ in }
            pair = try server.pair()
        }

        /// The founder's database as it is now.
        var now: FoundDatabase {
            get throws {
                server.application.stop()
                return try #require(try founder.member)
            }
        }

        func newcomer(_ addresses: [String]? = nil) throws -> ClusterFolder {
            let node = ClusterFolder(nats, node: "b", joinFrom: addresses ?? [address])
            try node.takeSecrets(of: founder)
            return node
        }
    }

    private func problem(_ body: () throws -> Void) -> String {
        let problem = #expect(throws: StartProblem.self, performing: body)
        return problem?.description ?? ""
    }

    @Test func `an empty folder gets the whole database of a running node, with its epoch and head`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        try node.prepare()
        let joined = try #require(try node.member)
        #expect(!node.folder.files.contains("watchwise.copy"))
        #expect(TemporaryFolder.permissions(of: node.folder.path + "/watchwise.db") == 0o600)
        #expect(joined == (try cluster.now))
        #expect(joined.head.value > 0)
        // It has what it needs: the next start fetches nothing, although no node is there.
        try node.prepare(joinMilliseconds: 100)
        #expect(try node.member == joined)
    }

    @Test func `a node that joins shows a token for the copy alone, and the audit names the node`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        try node.prepare()
        let rows = try cluster.server.admin().call("GET", "/v1/audit?action=backup.get").json()["audit"]?.arrayValue
        #expect(rows?.map { $0["actor"] } == ["node.b"])
        // The token that goes to a stranger with the name of a node.
        let stranger = try BrokenNode(answering: Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
        let late = ClusterFolder(cluster.nats, node: "c", joinFrom: [stranger.address])
        try late.takeSecrets(of: cluster.founder)
        _ = problem { try late.prepare(joinMilliseconds: 500) }
        let token = try #require(stranger.request.firstMatch(of: /Authorization: Bearer (\S+)/)?.1)
        let claims = try TokenVerifier(secret: cluster.server.application.secret)
            .verify(String(token), at: WallClock.system.now())
        #expect(claims.subject.text == "node.c" && claims.scopes == ["node:join"])
        #expect(claims.expiresAt <= WallClock.system.now().adding(milliseconds: 60_000))
        let peer = Admin(try HTTPPeer(port: cluster.server.port), token: String(token))
        #expect(try peer.call("GET", "/v1/stats").status == 401)
        #expect(try peer.call("PUT", "/v1/documents/films/1", ["a": 1]).status == 401)
    }

    @Test func `a node with an older program gives no database, and the sentence says why`() throws {
        let cluster = try Cluster()
        let older = try BrokenNode(answering: Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8))
        let node = try cluster.newcomer([older.address])
        let sentence = problem { try node.prepare(joinMilliseconds: 500) }
        #expect(sentence.contains("its program is older than this one"), "\(sentence)")
        // The next one has this program.
        let other = ClusterFolder(cluster.nats, node: "b", joinFrom: [older.address, cluster.address], in: node.folder)
        try other.prepare()
        #expect(try other.member != nil)
    }

    private static func beat(_ node: String, _ address: String) -> [UInt8] {
        HeartbeatMessage(
            NodeHeartbeat(
                node: node, term: 1, leads: true, applied: 0, head: 0, schema: 1, program: "", fingerprint: "",
                sessions: 0, address: address),
            run: 1, time: Timestamp(milliseconds: 0)
        ).bytes
    }

    @Test func `a node is found by its heartbeat, if that is signed with the secret`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer([])
        let lure = try BrokenNode(answering: Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
        let keys = try JournalKeys(ofFolder: cluster.founder.folder.path)
        let (thread, mail) =
            try LoopThread.start(named: "heart") {
                [address = cluster.address, cluster = cluster.founder.configuration.cluster, lure = lure.address] loop
                in
                let client = try JournalClient(on: loop, try JournalOptions(cluster, name: "a")) { _ in }
                let schema = Schema.migrations.count
                let (seal, other) = (JournalSeal(keys, schema: schema), JournalSeal(JournalKeys([[1]]), schema: schema))
                let timer = LoopTimer(on: loop) {
                    client.publish(seal.seal(signal: Self.beat("a", address), to: "heartbeat"), to: "heartbeat")
                    // Strangers would get a token for the copy.
                    client.publish(other.seal(signal: Self.beat("x", lure), to: "heartbeat"), to: "heartbeat")
                    client.publish(Self.beat("y", lure), to: "heartbeat")
                    client.publish(seal.seal(signal: Self.beat("z", lure), to: "presence"), to: "heartbeat")
                }
                timer.start(afterMilliseconds: 50, repeatingMilliseconds: 50)
                return try Mailbox<Bool>(on: loop) { _ in
                    client.close()
                    timer.close()
                    loop.stop()
                }
            } as (LoopThread, Mailbox<Bool>)
        defer {
            mail.post(true)
            thread.join()
        }
        try node.prepare()
        #expect(try node.member != nil)
        #expect(lure.request.isEmpty)
    }

    @Test func `a copy that breaks off, or is no database, leaves the folder empty`() throws {
        let cluster = try Cluster()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.sqlite3\r\nContent-Length: 100000\r\n\r\n"
        let short = Array(head.utf8) + [UInt8](repeating: 7, count: 50_000)
        let wrong = Array(head.utf8) + [UInt8](repeating: 7, count: 100_000)
        let refusing = Array("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 9\r\n\r\ntoo-many\n".utf8)
        for (bytes, words) in [
            (short, "the copy broke off after"), (wrong, "it is not a whole database"),
            (refusing, "it answers with status 429: too-many"),
        ] {
            let broken = try BrokenNode(answering: bytes)
            let node = try cluster.newcomer([broken.address])
            let sentence = problem { try node.prepare(joinMilliseconds: 500) }
            #expect(sentence.contains("this node cannot join") && sentence.contains(words), "\(sentence)")
            #expect(Set(node.folder.files) == ["lock", "secret", "webhook-secret"])
        }
    }

    @Test func `another node is asked when the first one fails`() throws {
        let cluster = try Cluster()
        let broken = try BrokenNode(answering: Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8))
        let node = try cluster.newcomer([broken.address, cluster.address])
        try node.prepare()
        #expect(try node.member == cluster.now)
    }

    @Test func `a node with another secret is refused, and learns why`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        let secret = node.folder.path + "/secret"
        try Data((String(repeating: "ab", count: 32) + "\n").utf8).write(to: URL(fileURLWithPath: secret))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        #expect(problem { try node.prepare(joinMilliseconds: 500) }.contains("the file 'secret' must be the same"))
    }

    @Test func `a node without the secrets does not make its own`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "b")
        let sentence = problem { _ = try Application(node.configuration) }
        #expect(sentence.contains("copy \(node.folder.path)/secret, \(node.folder.path)/webhook-secret from a node"))
        #expect(node.folder.files.isEmpty)
    }

    @Test func `the database of a server alone, and that of another cluster, are refused`() throws {
        let cluster = try Cluster()
        let alone = try cluster.newcomer()
        try Storage.openWriter(DataDirectory(alone.folder.path)).close()
        #expect(problem { try alone.prepare() }.contains("belongs to a server that is alone"))

        let nats = try NATSServers()
        let foreign = ClusterFolder(nats, node: "c")
        try foreign.found()
        var moved = ClusterFolder(cluster.nats, node: "c", in: foreign.folder)
        let sentence = problem { try moved.prepare() }
        #expect(sentence.contains("init made another cluster, or this folder is not of this cluster"))
        moved = ClusterFolder(nats, node: "c", in: foreign.folder)
        try moved.prepare()
    }

    @Test func `a node that was away for longer than the journal remembers fetches another database`() throws {
        // The stream holds few of these entries.
        let cluster = try Cluster(ClusterFounder.Size(replicas: 1, ageSecondsMax: 3600, bytesMax: 1 << 20))
        let node = try cluster.newcomer()
        try node.prepare()
        let before = try #require(try node.member)
        try append(String(repeating: "x", count: 300_000), count: 6, to: cluster.founder)
        let sentence = problem { try node.prepare(joinMilliseconds: 500) }
        #expect(sentence.contains("its database ends at entry 0, and the journal begins at"))
        #expect(try node.member == before, "the old database stays until there is a better one")
    }

    @Test func `a database that diverged is put aside, and another one is fetched`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        try node.prepare()
        let writer = try Storage.openWriter(DataDirectory(node.folder.path))
        try writer.noteDivergence("a statement changed 2 rows here and 1 on the leading node")
        try writer.close()
        #expect(try node.standing == .diverged("a statement changed 2 rows here and 1 on the leading node"))
        try node.prepare()
        #expect(node.folder.files.contains { $0.hasPrefix("diverged-") && $0.hasSuffix(".sqlite") })
        #expect(try node.member?.epoch == cluster.now.epoch)
    }

    @Test func `a database whose file is damaged is put aside, and another one is fetched`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        try node.prepare()
        let file = try FileHandle(forUpdating: URL(filePath: node.folder.path + "/watchwise.db"))
        // The head says that it is a database; its tables are gone.
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data(repeating: 0xa5, count: 8000))
        try file.close()
        let standing = try node.standing
        guard case .diverged(let sentence) = standing else {
            Issue.record("the damage was not found: \(standing)")
            return
        }
        #expect(sentence.hasPrefix("its file is damaged: "))
        try node.prepare()
        #expect(node.folder.files.contains { $0.hasPrefix("diverged-") && $0.hasSuffix(".sqlite") })
        #expect(try node.member?.epoch == cluster.now.epoch)
    }

    @Test func `a member starts without the journal, a newcomer does not`() throws {
        let cluster = try Cluster()
        let node = try cluster.newcomer()
        try node.prepare()
        cluster.nats.stop()
        try node.prepare()
        let late = try cluster.newcomer()
        #expect(problem { try late.prepare(joinMilliseconds: 500) }.contains("no connection to the journal"))
    }
}
