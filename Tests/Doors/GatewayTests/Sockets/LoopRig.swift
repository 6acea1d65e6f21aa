import Admin
import Authentication
import Configuration
import Crypto
import EventLoop
import Execution
import Foundation
import JSON
import Model
import Services
import Telemetry
import TestSupport
import ThreadMessages

@testable import Gateway

/// A loop on its own thread with all its parts, and a port for each. There is no writer and no reader: what asks them
/// waits for good, so the tests are of what a loop answers by itself.
/// - Confinement: any
final class LoopRig: Sendable {
    let port: UInt16
    /// The port of the door for the figures; 0 without one.
    let figuresPort: UInt16
    let secret: ServerSecret
    private let mail = Mailboxes(loops: 1, readers: 1, reachesOutside: false, hasIssuers: false)
    private let thread: LoopThread
    private let drained = DispatchSemaphore(value: 0)

    init(pages: (any ServedPages)? = nil, _ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.logLevel = .silent
        configure(&configuration)
        secret = try ServerSecret()
        let settings = try Self.settings(configuration, mail, secret, pages)
        thread = try LoopThread.start(named: "rig") { [mail, drained] loop in
            let server = LoopServer(number: 0, loop: loop, settings: settings)
            server.setDrained { drained.signal() }
            try mail.loops[0].open(
                taking: { batch in
                    server.receive(batch)
                    batch.removeAll(keepingCapacity: true)
                },
                on: loop)
        }
        port = try Self.listen(on: configuration.listen, mail)
        figuresPort = try Self.listen(on: configuration.metricsListen, isForFigures: true, mail)
    }

    private static func settings(
        _ configuration: ServerConfiguration, _ mail: Mailboxes, _ secret: ServerSecret, _ pages: (any ServedPages)?
    ) throws -> LoopSettings {
        let peers = PeerPolicy(configuration)
        let log = ServerLog(minimum: configuration.logLevel)
        guard let epoch = Epoch("rig") else { throw TCPSocket.Failure(description: "no epoch") }
        var encryption: (context: TLSContext, ticketKeys: TLSTicketKeys)?
        if let certificate = configuration.tlsCertificate, let key = configuration.tlsKey {
            let keys = try TLSTicketKeys()
            encryption = (try TLSContext(certificatePath: certificate, keyPath: key, ticketKeys: keys), keys)
        }
        let verifier = TokenVerifier(secret: secret, issuers: configuration.foreignIssuers.map(\.trusted))
        return LoopSettings(
            configuration: configuration, mail: mail,
            opened: OpenedDatabase(
                epoch: epoch, head: .zero, revocations: Revocations(), collections: TopicCollections()),
            tokens: TokenCheck(verifier, wantedMilliseconds: configuration.keyPace.wantedMilliseconds),
            metrics: Metrics(peerMemory: peers.memory), log: log, storage: StorageHealth(),
            watchedPaths: WatchedPaths(), feeds: nil,
            names: ServerNames(
                listeners: try configuration.listen.map { try SocketAddress($0) }, origins: configuration.origins),
            encryption: encryption, peers: peers,
            pushOffer: PushOffer(), push: nil, pages: pages)
    }

    private static func listen(
        on addresses: [String], isForFigures: Bool = false, _ mail: Mailboxes
    ) throws -> UInt16 {
        guard !addresses.isEmpty else { return 0 }
        let answer = ListenAnswer()
        mail.loops[0].post(.listen(try addresses.map { try SocketAddress($0) }, isForFigures: isForFigures, answer))
        let text = try answer.wait().get().first?.description.split(separator: ":").last ?? ""
        return UInt16(text) ?? 0
    }

    /// Says goodbye to every client and ends the thread.
    func stop() {
        mail.loops[0].post(.drain)
        drained.wait()
        thread.stop()
        thread.join()
    }

    /// A token of this server.
    func token(_ user: String, scopes: Set<String> = []) throws -> String {
        guard let subject = UserID(user) else { throw TCPSocket.Failure(description: "\(user) is no user") }
        let now = WallClock.system.now()
        let claims = Claims(subject: subject, scopes: scopes, expiresAt: now.adding(milliseconds: 3_600_000))
        return JSONWebToken.sign(claims, issuedAt: now, with: secret)
    }
}
