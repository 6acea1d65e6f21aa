import Configuration
import JSON
import Server
import Telemetry
import TestSupport
import Testing

/// A registered device counts as used by its `hello`, which is noted once a day, with a clock of the test.
struct DeviceUseTests {
    private static let hour: Int64 = 3_600_000
    private let clock = MovedClock()
    private let server: TestServer
    private let admin: Admin

    init() throws {
        server = try TestServer { [clock] in
            $0.clock = WallClock { clock.now }
            $0.push.contact = "mailto:admin@example.org"
        }
        let token = try server.token("operator", isAdmin: true, validMilliseconds: 90 * Self.hour)
        admin = Admin(try HTTPPeer(port: server.port), token: token)
    }

    /// A session says hello, lets what it caused be written, and ends.
    private func visit(_ device: String, locale: String? = nil, _ command: JSONValue? = nil) throws {
        let session = try server.connect()
        var hello = try Device.helloCommand(
            token: server.token("alice", validMilliseconds: 90 * Self.hour), device: device)
        hello["locale"] = locale.map { .string($0) }
        try session.ok(hello)
        if let command { try session.ok(command) }
        // A write of the session comes after those that its hello caused.
        try session.ok(["type": "follow", "topic": "station:1"])
        session.peer.socket.close()
    }

    private func used(_ device: String) throws -> String {
        let listed = try admin.call("GET", "/v1/push/devices?user=alice").json()["devices"]?.arrayValue ?? []
        return try #require(listed.first { $0["device"] == .string(device) }?["used"]?.stringValue)
    }

    private static let registration: JSONValue = [
        "type": "device", "platform": "webpush",
        "subscription": [
            "endpoint": "https://push.example/1",
            "keys": [
                "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                "auth": "tBHItJI5svbpez7KI4CCXg",
            ],
        ],
    ]

    @Test func `a hello is noted a day after the last use, or when it names another language`() throws {
        defer { server.application.stop() }
        try visit("laptop", locale: "it", Self.registration)
        let registered = try used("laptop")
        clock.move(milliseconds: 23 * Self.hour)
        try visit("laptop", locale: "it")
        try visit("laptop")
        #expect(try used("laptop") == registered)
        clock.move(milliseconds: Self.hour)
        try visit("phone", locale: "it")
        #expect(try used("laptop") == registered)
        try visit("laptop")
        let next = try used("laptop")
        #expect(next > registered)
        clock.move(milliseconds: Self.hour)
        try visit("laptop", locale: "it")
        #expect(try used("laptop") == next)
        try visit("laptop", locale: "pl")
        let last = try used("laptop")
        #expect(last > next)
        try visit("laptop", locale: "pl")
        #expect(try used("laptop") == last)
    }
}
