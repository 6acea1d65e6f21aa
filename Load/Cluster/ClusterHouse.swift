import Authentication
import Client
import Foundation
import Wire

/// Three journal servers and three nodes in a folder, which this program starts and ends.
///
/// - Confinement: one thread at a time
final class ClusterHouse {
    /// The programs and arguments.
    struct Plan {
        var watchwise: String
        var journalServer: String
        var folder: URL
        /// One node without a journal in place of three, to try the measuring itself; the journal's servers run beside.
        var isAlone = false
        var serveArguments: [String] = []
    }

    /// One node.
    struct Node {
        let name: String
        let data: String
        let process: ServedProcess
        let address: ServerAddress
    }

    private static let names = ["a", "b", "c"]
    /// Files that all nodes of a cluster share.
    private static let shared = ["secret", "vapid-key", "webhook-secret"]

    private let plan: Plan
    private var servers: [ServedProcess] = []
    /// The addresses of the journal's servers.
    let journal: [String]
    private(set) var nodes: [Node] = []

    /// The journal's servers and the nodes that run.
    var processes: [ProcessMeter] { (servers + nodes.map(\.process)).map { ProcessMeter(pid: $0.pid) } }

    /// - Throws: when no port is free, or a file cannot be written.
    init(_ plan: Plan) throws {
        self.plan = plan
        let ports = try (0..<3).map { _ in (client: try FreePort.find(), route: try FreePort.find()) }
        journal = ports.map { "nats://127.0.0.1:\($0.client)" }
        let routes = ports.map { "nats://127.0.0.1:\($0.route)" }.joined(separator: ", ")
        for (index, port) in ports.enumerated() {
            let folder = plan.folder.appending(path: "journal-\(index + 1)").path
            let settings = """
                server_name: n\(index + 1)
                host: 127.0.0.1
                port: \(port.client)
                max_payload: 8MB
                jetstream { store_dir: "\(folder)", sync_interval: always, max_file_store: 64GB }
                cluster { name: ww, listen: "127.0.0.1:\(port.route)", no_advertise: true, routes: [\(routes)] }

                """
            try Terminal.save(settings, to: folder + ".conf")
            let serverPlan = ServedProcess.Plan(
                program: plan.journalServer, arguments: { _ in ["--config", folder + ".conf"] }, log: folder + ".log",
                saysWhenReady: false)
            servers.append(ServedProcess(serverPlan, port: port.client))
        }
    }

    /// Starts everything; when this returns, every node is ready.
    /// - Throws: `LoadFailure` with the reason of the first part that did not start.
    func start() throws {
        for server in servers { _ = try server.start() }
        for name in plan.isAlone ? Array(Self.names.prefix(1)) : Self.names {
            let data = plan.folder.appending(path: "node-\(name)").path
            if !plan.isAlone { name == Self.names[0] ? try found(data) : try takeSecrets(into: data) }
            let process = ServedProcess(
                ServedProcess.Plan(
                    program: plan.watchwise, arguments: { [self] in arguments(name, data, port: $0) },
                    log: data + ".log"),
                port: try FreePort.find())
            let node = Node(name: name, data: data, process: process, address: try process.start())
            nodes.append(node)
            if nodes.count == 1 { try awaitReady(node) }
        }
        for node in nodes { try awaitReady(node) }
    }

    /// The signer of tokens for all nodes.
    func mint() throws -> TokenMint {
        guard let first = nodes.first, let secret = try ServerSecret.load(fromFolder: first.data) else {
            throw LoadFailure("no secret in the folder of the first node")
        }
        return TokenMint(secret: secret)
    }

    /// The node that leads now, or the node alone; nil while there is none.
    func leader() throws -> Node? {
        if plan.isAlone { return nodes.first }
        return nodes.first { text(of: $0, "/metrics")?.contains("\nwatchwise_journal_leading 1\n") == true }
    }

    /// Waits until a node leads.
    func awaitLeader() throws -> Node {
        let end = Date().addingTimeInterval(40)
        while Date() < end {
            if let node = try leader() { return node }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw LoadFailure("no node leads within 40 s, by 'watchwise_journal_leading' in /metrics")
    }

    /// Waits until a node takes sessions.
    func awaitReady(_ node: Node) throws {
        let end = Date().addingTimeInterval(60)
        while Date() < end {
            try node.process.checkThatItRuns()
            if text(of: node, "/readyz") != nil { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw LoadFailure("node \(node.name) was not ready within 60 s")
    }

    /// Ends all processes.
    func end() {
        for node in nodes { _ = node.process.end(SIGKILL) }
        for server in servers { _ = server.end(SIGKILL) }
    }

    private func arguments(_ name: String, _ data: String, port: Int) -> [String] {
        var words = ["serve", "--listen", "127.0.0.1:\(port)", "--data", data, "--log-level", "warning"]
        if !plan.isAlone {
            words += ["--journal", journal.joined(separator: ","), "--node", name]
            words += ["--node-address", "http://127.0.0.1:\(port)"]
        }
        return words + ServedProcess.filmNetwork + plan.serveArguments
    }

    /// Makes the stream, and the folder of the first node. The journal's servers need a moment to find a leader.
    private func found(_ data: String) throws {
        let end = Date().addingTimeInterval(30)
        while true {
            let process = Process()
            process.executableURL = URL(filePath: plan.watchwise)
            process.arguments = ["cluster", "init", "--data", data, "--journal", journal.joined(separator: ",")]
            let output = Pipe()
            process.standardOutput = FileHandle.nullDevice
            process.standardError = output
            try Remains.own.start(process)
            let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            Remains.own.ended(process)
            if process.terminationStatus == 0 { return }
            guard process.terminationStatus != 2, Date() < end else {
                let line = said.split(separator: "\n").first.map(String.init) ?? "it said nothing"
                throw LoadFailure("'watchwise cluster init' ended with \(process.terminationStatus): \(line)")
            }
            Thread.sleep(forTimeInterval: 0.5)
        }
    }

    private func takeSecrets(into data: String) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let first = nodes.first?.data else { return }
        for name in Self.shared where files.fileExists(atPath: "\(first)/\(name)") {
            try files.copyItem(atPath: "\(first)/\(name)", toPath: "\(data)/\(name)")
        }
    }

    /// The body of a successful answer; nil for any other, and for none.
    private func text(of node: Node, _ target: String) -> String? {
        let request = HTTPRequest(method: "GET", target: target)
        let client = HTTPClient(server: node.address, timeoutMilliseconds: 2_000)
        guard case .success(let answer) = Result(catching: { try client.perform(request) }), answer.status == 200 else {
            return nil
        }
        return String(decoding: answer.body, as: UTF8.self)
    }
}
