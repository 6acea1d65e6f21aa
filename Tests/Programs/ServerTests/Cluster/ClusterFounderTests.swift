import Configuration
import EventLoop
import Foundation
import JSON
import JournalLink
import Model
import Store
import Telemetry
import TestSupport
import Testing
@testable import Server

/// `watchwise cluster init`, against real NATS servers.
@Suite(.serialized, .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ClusterFounderTests {
    private func problem(_ body: () throws -> Void) -> String {
        let problem = #expect(throws: StartProblem.self, performing: body)
        return problem?.description ?? ""
    }

    @Test func `an empty folder becomes the first member, with the secrets that all need`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        let report = try node.found()
        let found = try #require(try node.member)
        #expect(found.place == Founding.beginning && found.epoch.text == report.epoch)
        #expect(found.schema == Founding.schema)
        #expect(report.stream == "WW-test" && report.servers == ["n1 2.15.1"] && report.warnings.isEmpty)
        let names = report.files.compactMap { $0.split(separator: "/").last.map(String.init) }
        #expect(names == ["secret", "webhook-secret", "vapid-key"])
        #expect(report.files.allSatisfy { TemporaryFolder.permissions(of: $0) == 0o600 })

        #expect(problem { try node.found() }.contains("is a member of a cluster already"))
        let other = ClusterFolder(nats, node: "b")
        #expect(problem { try other.found() }.contains("was made for another database (epoch \(report.epoch))"))
        #expect(try other.standing == .alone)
    }

    @Test func `the database of a server that was alone stays, with its epoch`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        let server = try TestServer(in: node.folder) { _ in }
        let pair = try server.pair()
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        server.application.stop()
        #expect(try node.standing == .alone)
        let report = try node.found()
        #expect(report.epoch == hello["epoch"]?.stringValue)
        #expect(try node.member?.head.value ?? 0 >= hello["seq"]?.integerValue ?? 0)
    }

    @Test func `an inspection of the journal says what is wrong with it`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        try node.found()
        nats.stop()
        // The same journal, served by one that was installed with the default.
        let lax = try NATSServers(sync: "2m")
        let other = ClusterFolder(lax, node: "a")
        var configuration = other.configuration
        configuration.cluster.monitors = lax.monitors + ["http://127.0.0.1:1"]
        let found = JournalInspection.problems(configuration)
        #expect(found.contains { $0.hasPrefix("the journal has no stream WW-test") }, "\(found)")
        #expect(
            found.contains { $0.contains("n1: ") && $0.contains("sync_interval") && $0.contains("always") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("http://127.0.0.1:1: ") }, "\(found)")
    }

    @Test func `a run that was cut short after the stream was made is begun again`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        // The stream is there with the folder's epoch, and the folder is not a member's yet.
        let writer = try Storage.openWriter(DataDirectory(node.folder.path))
        try writer.close()
        let talk = try JournalTalk(try JournalOptions(node.configuration.cluster, name: "test"))
        defer { talk.close() }
        try talk.connect(milliseconds: 5000)
        var settings = StreamSettings()
        settings.replicas = 1
        settings.ageSecondsMax = ClusterFolder.size.ageSecondsMax
        settings.bytesMax = ClusterFolder.size.bytesMax
        settings.epoch = writer.epoch.text
        #expect(try talk.checkStream(settings, makes: true, milliseconds: 5000).wasMade)
        #expect(try node.found().epoch == writer.epoch.text)
        #expect(try node.member?.place == Founding.beginning)
    }

    @Test func `a stream with entries belongs to a cluster already`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        try node.found()
        try append("entry", to: node)
        let other = ClusterFolder(nats, node: "b")
        #expect(problem { try other.found() }.contains("has a stream WW-test with entries up to 1"))
    }

    @Test func `servers that flush later or take less are refused by name where they can be asked`() throws {
        let nats = try NATSServers(sync: "10s", more: "max_payload: 1MB")
        let node = ClusterFolder(nats, node: "a")
        let sentence = problem { try node.found() }
        #expect(sentence.contains("n1") && sentence.contains("sync_interval is 10.0 s, and must be always"))
        #expect(sentence.contains("max_payload is 1048576"))
        #expect(node.folder.files.isEmpty, "nothing is made before the servers are checked")

        var configuration = node.configuration
        configuration.cluster.monitors = []
        let report = try ClusterFounder.found(configuration, ClusterFolder.size)
        #expect(report.warnings.first?.contains("was not checked: give --journal-monitor") == true)
    }

    @Test func `an older server is refused by name`() throws {
        let line = #"INFO {"server_name":"old","version":"2.10.27","max_payload":8388608,"jetstream":true}"# + "\r\n"
        let old = try GreetingServer(line)
        var configuration = ServerConfiguration()
        let folder = TemporaryFolder()
        configuration.data = folder.path
        configuration.cluster.journal = [old.address]
        let sentence = problem { _ = try ClusterFounder.found(configuration, ClusterFolder.size) }
        #expect(sentence.contains("the NATS server old has version 2.10.27; the journal needs at least 2.14.5"))
        #expect(folder.files.isEmpty)
    }

    @Test func `a single server cannot keep three copies`() throws {
        let nats = try NATSServers()
        let node = ClusterFolder(nats, node: "a")
        var size = ClusterFolder.size
        size.replicas = 3
        let sentence = problem { try node.found(size) }
        #expect(sentence.contains("WW-test cannot be made") && sentence.contains("replicas"))
        #expect(try node.standing == .alone, "the folder is not a member's, and the next run takes it")
    }
}

/// Appends an entry to the journal of a node's settings.
func append(_ text: String, count: Int = 1, to node: ClusterFolder) throws {
    let talk = try JournalTalk(try JournalOptions(node.configuration.cluster, name: "test"))
    defer { talk.close() }
    try talk.connect(milliseconds: 5000)
    var last = try #require(try talk.state(milliseconds: 5000)).last
    for _ in 0..<count {
        var outcome: AppendOutcome?
        talk.client.append(Array(text.utf8), after: last, timeoutMilliseconds: 5000) { outcome = $0 }
        talk.wait(milliseconds: 6000) { outcome != nil }
        #expect(outcome == .appended(last + 1))
        last += 1
    }
}

/// A server that says its first line and nothing else.
private final class GreetingServer {
    private final class Silent: TCPConnectionDelegate {
        func received(_ bytes: RawSpan, on connection: TCPConnection) {}
        func drained(on connection: TCPConnection) {}
        func closed(on connection: TCPConnection, error: UVError?) {}
    }

    private let thread: LoopThread
    let address: String

    init(_ line: String) throws {
        let (thread, port) = try LoopThread.start(named: "greeting-server") { loop in
            let listener = try TCPListener(on: loop, address: try SocketAddress("127.0.0.1:0")) { connection in
                connection.delegate = Silent()
                connection.write(Array(line.utf8))
            }
            // Held until the loop has ended and closed it.
            _ = try Mailbox<Int>(on: loop) { _ in withExtendedLifetime(listener) {} }
            return listener.address.port
        }
        self.thread = thread
        address = "nats://127.0.0.1:\(port)"
    }

    deinit {
        thread.stop()
        thread.join()
    }
}
