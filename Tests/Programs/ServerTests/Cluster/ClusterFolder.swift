import Authentication
import Configuration
import EventLoop
import Foundation
import Journal
import Store
import Synchronization
import Telemetry
import TestSupport
@testable import Server

/// The folder of a node that is to be a member, and its settings.
struct ClusterFolder {
    let folder: TemporaryFolder
    let configuration: ServerConfiguration

    init(_ nats: NATSServers, node: String, joinFrom: [String] = [], in folder: TemporaryFolder = TemporaryFolder()) {
        self.folder = folder
        var configuration = ServerConfiguration()
        configuration.data = folder.path
        configuration.listen = ["127.0.0.1:0"]
        configuration.logLevel = .silent
        configuration.triggers = [.ready(.filmNetwork)]
        configuration.cluster.journal = nats.addresses
        configuration.cluster.application = "test"
        configuration.cluster.node = node
        configuration.cluster.monitors = nats.monitors
        configuration.cluster.joinFrom = joinFrom
        self.configuration = configuration
    }

    static let size = ClusterFounder.Size(replicas: 1, ageSecondsMax: 3600, bytesMax: 64 << 20)

    /// Makes the cluster.
    @discardableResult
    func found(_ size: ClusterFounder.Size = size) throws -> ClusterFounder.Report {
        try ClusterFounder.found(configuration, size)
    }

    var standing: FolderStanding {
        get throws { try Founding.standing(of: DataDirectory(folder.path)) }
    }

    /// The facts of the member in the folder; nil when there is none.
    var member: FoundDatabase? {
        get throws {
            guard case .member(let found) = try standing else { return nil }
            return found
        }
    }

    /// Copies the secrets of another node.
    func takeSecrets(of other: ClusterFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in ["secret", "webhook-secret"] {
            try FileManager.default.copyItem(atPath: "\(other.folder.path)/\(name)", toPath: "\(folder.path)/\(name)")
        }
    }

    /// Prepares the folder as a start does.
    func prepare(
        joinMilliseconds: Int64 = 3000, stallMilliseconds: Int64 = 2000
    ) throws {
        let directory = try DataDirectory(folder.path)
        guard let secrets = try ServerSecret.loadAll(fromFolder: folder.path) else {
            throw TCPSocket.Failure(description: "no secret")
        }
        var start = ClusterStart(
            configuration: configuration, directory: directory, secrets: secrets, log: ServerLog(minimum: .silent))
        start.patience.joinMilliseconds = joinMilliseconds
        start.patience.journalMilliseconds = 3000
        start.patience.stallMilliseconds = stallMilliseconds
        try start.prepare()
    }
}

/// A node of another program: it answers each connection with the same bytes, and ends it.
final class BrokenNode {
    private final class Answer: TCPConnectionDelegate {
        let bytes: [UInt8]
        let requests: Requests
        init(_ bytes: [UInt8], _ requests: Requests) { (self.bytes, self.requests) = (bytes, requests) }

        func received(_ bytes: RawSpan, on connection: TCPConnection) {
            let text = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            requests.text.withLock { $0 += text }
            connection.write(self.bytes)
            connection.closeAfterFlush()
        }
        func drained(on connection: TCPConnection) {}
        func closed(on connection: TCPConnection, error: UVError?) {}
    }

    /// The requests that came.
    private final class Requests: Sendable {
        let text = Mutex("")
    }

    private let requests = Requests()
    private let thread: LoopThread
    let address: String
    var request: String { requests.text.withLock { $0 } }

    init(answering bytes: [UInt8]) throws {
        let requests = requests
        let (thread, port) = try LoopThread.start(named: "broken-node") { loop in
            let listener = try TCPListener(on: loop, address: try SocketAddress("127.0.0.1:0")) { connection in
                connection.delegate = Answer(bytes, requests)
            }
            // Held until the loop has ended and closed it.
            _ = try Mailbox<Int>(on: loop) { _ in withExtendedLifetime(listener) {} }
            return listener.address.port
        }
        self.thread = thread
        address = "http://127.0.0.1:\(port)"
    }

    deinit {
        thread.stop()
        thread.join()
    }
}
