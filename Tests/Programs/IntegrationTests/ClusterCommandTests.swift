import Foundation
import JSON
import TestSupport
import Testing

/// `watchwise cluster` as an operator runs it, with a real journal.
@Suite(
    .serialized, .enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"),
    .enabled(if: NATSServers.isInstalled, "Tests/JournalTrials/fetch-nats was not run"))
struct ClusterCommandTests {
    private let folder = TemporaryFolder()

    private func found(_ nats: NATSServers, _ more: [String] = []) throws -> ServerProcess.Ended {
        try ServerProcess.run(
            ["cluster", "init", "--data", folder.path, "--journal", nats.addresses.joined(separator: ",")]
                + ["--replicas", "\(nats.addresses.count)", "--max-bytes", "64MiB"] + more)
    }

    @Test func `three servers keep the journal; init says what to copy and how to go on`() throws {
        let nats = try NATSServers(3)
        let ended = try found(nats, ["--journal-monitor", nats.monitors.joined(separator: ",")])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("The journal WW-watchwise is made, on n1 2.15.1, n2 2.15.1, n3 2.15.1."))
        for name in ["secret", "webhook-secret", "vapid-key"] {
            #expect(ended.output.contains("     \(folder.path)/\(name)\n"))
        }
        #expect(ended.output.contains("--node NAME --node-address"))
        let again = try found(nats)
        #expect(again.status == 1 && again.errors.contains("is a member of a cluster already"))
    }

    @Test func `without the monitoring port it says what was not checked`() throws {
        let nats = try NATSServers()
        let ended = try found(nats, ["--json"])
        let answer = try JSONValue(parsing: Array(ended.output.utf8))
        #expect(answer["stream"] == "WW-watchwise" && answer["epoch"]?.stringValue?.hasPrefix("e-") == true)
        #expect(answer["warnings"]?.arrayValue?.first?.stringValue?.contains("give --journal-monitor") == true)
    }

    @Test(arguments: [
        ([], "--journal is required"), (["--journal", "x"], "--journal must be nats://"),
        (["--journal", "nats://127.0.0.1:1", "--replicas", "2"], "--replicas must be 1, 3 or 5"),
        (["--journal", "nats://127.0.0.1:1", "--max-bytes", "20"], "--max-bytes must be a size"),
        (["--journal", "nats://127.0.0.1:1", "--max-age", "3"], "--max-age must be"),
    ])
    func `a wrong option of init is refused with its name`(_ arguments: [String], _ message: String) throws {
        let ended = try ServerProcess.run(["cluster", "init", "--data", folder.path] + arguments)
        #expect(ended.status == 2 && ended.errors.contains(message), "\(ended.errors)")
        #expect(folder.files.isEmpty)
    }

    @Test func `a member whose secrets were not copied does not start`() throws {
        let nats = try NATSServers()
        let ended = try ServerProcess.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--journal", nats.addresses[0]])
        #expect(ended.status == 1)
        #expect(ended.errors.contains("copy \(folder.path)/secret, \(folder.path)/webhook-secret from a node"))
    }

    @Test func `an upgrade needs the journal, and nodes that are heard`() throws {
        let without = try ServerProcess.run(["cluster", "upgrade"])
        #expect(without.status == 2 && without.errors.contains("--journal is required"), "\(without.errors)")
        let nats = try NATSServers()
        let upgrade = ["cluster", "upgrade", "--journal", nats.addresses[0], "--data", folder.path]
        let stranger = try ServerProcess.run(upgrade)
        #expect(stranger.status == 2 && stranger.errors.contains("give --data"), "\(stranger.errors)")
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try String(repeating: "5e", count: 32).write(toFile: folder.path + "/secret", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/secret")
        let ended = try ServerProcess.run(upgrade)
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.errors.contains("nothing was done: no node is heard over the journal"), "\(ended.errors)")
    }

    @Test func `a server that is alone has no cluster to show`() throws {
        let server = try ServerProcess(data: folder.path)
        for command in ["status", "check", "step-down"] {
            let ended = try ServerProcess.run(
                ["cluster", command, "--data", folder.path, "--server", "http://127.0.0.1:\(server.port)"])
            #expect(ended.status == 1)
            #expect(ended.errors.contains("this server is alone: it was started without --journal"))
        }
        server.signal(SIGTERM)
        _ = server.wait()
    }

    @Test func `status and check show nodes, the journal and its servers`() throws {
        let nats = try NATSServers(sync: "10s")
        #expect(try found(nats).status == 0)
        let node = try AnsweringServer(
            """
            {"node":"a","role":"leading","leader":"a","term":3,"lagMilliseconds":0,"nodes":[
            {"node":"a","role":"leading","term":3,"applied":1234,"missing":0,"schema":25,"program":"p1","settings":"aa",
            "zones":"zz","sessions":12,"address":"http://10.0.0.1:8080","heardMilliseconds":0},
            {"node":"b","role":"following","term":3,"applied":1230,"missing":4,"schema":26,"program":"p2","settings":"aa",
            "zones":"zz","sessions":7,"address":"","heardMilliseconds":120}],
            "journal":{"stream":"WW-watchwise","problem":null,"server":"n1","leader":"n1","first":1,"last":1234,
            "bytes":56789}}
            """)
        defer { node.stop() }
        let options = [
            "--server", node.address, "--token", "t", "--journal", nats.addresses[0], "--journal-monitor",
            nats.monitors[0],
        ]
        let status = try ServerProcess.run(["cluster", "status"] + options)
        #expect(status.status == 0, "\(status.errors)")
        let lines = status.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains("NODE  ROLE       TERM  APPLIED  MISSING  SCHEMA  SESSIONS") == true)
        let leading = "a     leading       3    1,234        0      25        12    0 ms  p1"
        #expect(lines.contains { $0.hasPrefix(leading) })
        #expect(lines.contains("journal WW-watchwise: entries 1 to 1,234, 56,789 bytes, led by n1, asked through n1"))
        #expect(lines.last?.contains("sync_interval is 10.0 s, and must be always") == true)

        let check = try ServerProcess.run(["cluster", "check"] + options)
        #expect(check.status == 1 && check.errors.contains("problems found"))
        #expect(check.output.contains("ok       a leads, in term 3"))
        #expect(check.output.contains("ok       the rules of time zones: zz on a, b"))
        #expect(check.output.contains("problem  the schema must be the same: 25 on a; 26 on b."))
        #expect(check.output.contains("note     the program differs, as in an upgrade node by node: p1 on a; p2 on b"))
        #expect(check.output.contains("problem  no node can join from b: start with --node-address"))
        #expect(check.output.contains("problem  n1: sync_interval is 10.0 s, and must be always"))
        #expect(check.output.contains("problem  WW-watchwise has one copy"))
        #expect(check.output.contains("ok       the stream WW-watchwise has the settings of a journal, on 1 server"))
    }
}

/// An HTTP server that answers each request with the same JSON, for commands that show it.
private final class AnsweringServer {
    private let process: Process
    let address: String

    init(_ body: String) throws {
        let program = """
            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    body = sys.argv[1].encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *arguments): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program, body]
        let output = Pipe()
        process.standardOutput = output
        try process.runStoppable()
        self.process = process
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = "http://127.0.0.1:\(line.trimmingCharacters(in: .newlines))"
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
