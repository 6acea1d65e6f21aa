import Configuration
import Foundation
import JSON
import Model
import Server
import Synchronization
import Telemetry
import TestSupport
import Testing

/// An application as configured in `deploy/apps`, on a server whose clock the test moves.
/// - Confinement: one thread at a time
final class ApplicationStage {
    let server: TestServer
    private let time: TestTime
    private let admin: Admin

    /// One of the applications that ship with the server.
    ///
    /// - Parameter start: The time of the clock until it is moved.
    convenience init(_ application: ReadyApplication, at start: String = "2027-01-15T10:00:00Z") throws {
        try self.init(application.configuration, at: start)
    }

    /// An application of the tests: `Tests/Applications/NAME.json`.
    convenience init(configured name: String, at start: String = "2027-01-15T10:00:00Z") throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Applications")
        let path = folder.appending(path: "\(name).json").path
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        try self.init(ConfigurationFile(name: path, bytes: bytes), at: start)
    }

    private init(_ file: ConfigurationFile, at start: String) throws {
        let time = TestTime(try #require(Timestamp(start)))
        let configured = try ConfigurationLayers(file: file).configuration()
        server = try TestServer { configuration in
            configuration.triggers = configured.triggers
            configuration.rules = configured.rules
            configuration.collections = configured.collections
            configuration.preferences = configured.preferences
            configuration.clock = WallClock { time.now }
        }
        self.time = time
        admin = Admin(try HTTPPeer(port: server.port), token: try Self.token("operator", isAdmin: true, on: server))
    }

    deinit { server.application.stop() }

    private static func token(_ user: String, isAdmin: Bool = false, on server: TestServer) throws -> String {
        let year: Int64 = 31_536_000_000
        return try server.token(user, isAdmin: isAdmin, validMilliseconds: 100 * year, issuedMillisecondsAgo: year)
    }

    /// Moves the clock.
    func setClock(_ text: String) throws { time.now = try #require(Timestamp(text)) }

    /// A device that is connected.
    func device(_ user: String, _ locale: String, on name: String = "phone") throws -> Device {
        let device = try server.connect()
        var hello = Device.helloCommand(token: try Self.token(user, on: server), device: name)
        hello["locale"] = .string(locale)
        device.held = self
        try device.ok(hello)
        try device.event("live")
        return device
    }

    /// Makes a user whose device was connected once, and is not any more.
    func leave(_ user: String, _ locale: String) throws {
        let device = try device(user, locale)
        device.peer.socket.close()
    }

    /// Lets users follow the topic of a document, from now on.
    func follow(_ path: String, by users: String...) throws {
        for user in users { _ = try write("PUT", "\(path)/followers/\(user)", [:]) }
    }

    @discardableResult
    func put(_ path: String, _ data: JSONValue) throws -> JSONValue { try write("PUT", path, data) }
    @discardableResult
    func patch(_ path: String, _ data: JSONValue) throws -> JSONValue { try write("PATCH", path, data) }
    @discardableResult
    func delete(_ path: String) throws -> JSONValue { try write("DELETE", path, nil) }

    private func write(_ method: String, _ path: String, _ data: JSONValue?) throws -> JSONValue {
        let answer = try admin.call(method, "/v1/documents/\(path)", data)
        guard (200...201).contains(answer.status) else { throw TCPSocket.Failure(description: answer.text) }
        return try answer.json()
    }

    /// Waits until the server has searched for due notifications, which it does each second.
    func settleSchedules() throws { Thread.pause(milliseconds: 1300) }

    /// The list of a user who connects only now, newest first.
    func inbox(_ user: String, _ locale: String) throws -> [JSONValue] {
        let device = try device(user, locale, on: "later")
        return try device.inbox()
    }
}

/// The time that a test sets.
/// - Confinement: any
private final class TestTime: Sendable {
    private let value: Mutex<Timestamp>

    init(_ now: Timestamp) { value = Mutex(now) }

    var now: Timestamp {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

extension Device {
    /// The answer of `notifications`.
    func inbox() throws -> [JSONValue] { try ok(["type": "notifications"])["notifications"]?.arrayValue ?? [] }

    /// All notifications that have arrived so far, in order.
    func notifications() throws -> [JSONValue] {
        try settle()
        return messages.filter { $0["type"] == "notification" }
    }

    /// The reasons of all removals so far, in order.
    func removals() throws -> [String] {
        try settle()
        return messages.filter { $0["type"] == "notification.removed" }.compactMap { $0["reason"]?.stringValue }
    }
}

extension [JSONValue] {
    /// The texts of one member.
    func texts(_ member: String) -> [String] { compactMap { $0[member]?.stringValue } }
}
