import Authentication
import Configuration
import EventLoop
import Foundation
import JSON
import Model
import Synchronization
import Telemetry
import TestSupport
import ThreadMessages
@testable import Server

/// A server on a port and a folder of its own.
///
/// Tests share ``shared``: each uses users of its own.
/// - Confinement: any
final class TestServer: Sendable {
    static let shared: Result<TestServer, any Error> = Result {
        let server = try TestServer { _ in }
        // The objects of a thread that never ends look like a leak to the sanitizer.
        atexit { try? TestServer.shared.get().application.stop() }
        return server
    }

    let application: Application
    let port: UInt16
    private let folder: TemporaryFolder
    private static let numbers = Atomic<Int>(0)

    /// Starts with two loops, quiet, on a port that the kernel picks.
    /// - Parameter push: Gets the loops' answers to questions for pushes.
    init(
        in folder: TemporaryFolder = TemporaryFolder(), pages: Application.PagesMaker? = nil,
        answeringPushesTo push: Mailbox<PushMessage>? = nil,
        _ configure: (inout ServerConfiguration) -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:0"]
        configuration.data = folder.path
        configuration.loops = 2
        configuration.logLevel = .silent
        configuration.triggers = [.ready(.filmNetwork)]
        configure(&configuration)
        self.folder = folder
        application = try Application(configuration, pages: pages, answeringPushesTo: push)
        let text = application.addresses.first?.split(separator: ":").last ?? ""
        port = UInt16(text) ?? 0
    }

    /// A name that no other test has.
    func name(_ stem: String) -> String {
        "\(stem)-\(Self.numbers.add(1, ordering: .relaxed).newValue)"
    }

    /// A token of this server.
    func token(
        _ user: String, isAdmin: Bool = false, validMilliseconds: Int64 = 3_600_000, jti: String? = nil,
        issuedMillisecondsAgo: Int64 = 0, roles: Set<RoleName> = [], scopes: Set<String> = [],
        commandLine: String? = nil
    ) throws -> String {
        guard let subject = UserID(stored: user) else { throw TCPSocket.Failure(description: "\(user) is no user") }
        let now = WallClock.system.now()
        let claims = Claims(
            subject: subject,
            scopes: isAdmin ? scopes.union([Claims.adminScope]) : scopes,
            roles: roles,
            expiresAt: now.adding(milliseconds: validMilliseconds),
            tokenID: jti,
            commandLine: commandLine
        )
        return JSONWebToken.sign(
            claims, issuedAt: now.adding(milliseconds: -issuedMillisecondsAgo), with: application.secret)
    }

    /// A connection without a hello.
    func connect(headers: [(String, String)] = [], receiveBufferBytes: Int32? = nil) throws -> Device {
        Device(try WebSocketPeer(port: port, headers: headers, receiveBufferBytes: receiveBufferBytes))
    }

    /// A session that is live.
    func device(
        _ user: String,
        _ device: String? = nil,
        since: JSONValue? = nil,
        receiveBufferBytes: Int32? = nil
    ) throws -> Device {
        let session = try connect(receiveBufferBytes: receiveBufferBytes)
        try session.hello(token: token(user), device: device, since: since)
        _ = try session.event("live")
        return session
    }

    /// Two users with two devices each and a common chat.
    func pair() throws -> Pair { try Pair(on: self) }

    /// An admin's connection.
    func admin() throws -> Admin { Admin(try HTTPPeer(port: port), token: try token("operator", isAdmin: true)) }
}

/// Two users with two devices each; the first follows the second, and their chat is open.
struct Pair {
    let alice: String
    let bob: String
    let chat: String
    let alicePhone: Device
    let aliceLaptop: Device
    let bobPhone: Device
    let bobLaptop: Device

    init(on server: TestServer) throws {
        alice = server.name("alice")
        bob = server.name("bob")
        chat = [alice, bob].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined(separator: ":")
        alicePhone = try server.device(alice, "phone")
        aliceLaptop = try server.device(alice, "laptop")
        bobPhone = try server.device(bob, "phone")
        bobLaptop = try server.device(bob, "laptop")
        try alicePhone.ok(["type": "follow", "topic": .string("user:\(bob)")])
        let opened = try alicePhone.ok([
            "type": "recommend", "to": .string(bob), "product": ["id": "movie/603"], "key": "open",
        ])
        let seq = opened["seq"]?.integerValue ?? 0
        for device in all { try device.wait(forSeq: seq) }
    }

    var all: [Device] { [alicePhone, aliceLaptop, bobPhone, bobLaptop] }
}
