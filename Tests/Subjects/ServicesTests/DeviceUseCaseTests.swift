import Execution
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol
@testable import Services

struct DeviceUseCaseTests {
    private let house: House
    private let offer: PushOffer

    init() throws {
        house = try House()
        var offer = PushOffer()
        offer.webPushKey = "BKey"
        offer.apnsTopics = ["org.example.films"]
        self.offer = offer
    }

    private static let point = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"

    private func device(_ name: String) -> SessionDevice {
        SessionDevice(name: name, language: LanguageTag("it"), tokenID: "jti-\(name)", tokenIssued: house.now)
    }

    private func browser(
        _ endpoint: String = "https://push.example/1", point: String = Self.point,
        auth: String = "tBHItJI5svbpez7KI4CCXg"
    ) -> DeviceCommand.Registration {
        DeviceCommand.Registration(
            platform: .webpush,
            target: .subscription(endpoint: endpoint, DeviceCommand.Keys(publicKey: point, secret: auth)))
    }

    private func register(_ name: String, of user: String, _ registration: DeviceCommand.Registration) throws {
        let answer = try house.write(RegisterDevice(registration, of: device(name), offer), by: user)
        #expect(answer == ["device": .string(name)])
    }

    private func devices(of user: String) throws -> [String] {
        let listed = try house.read(ListDevices(), by: user)["devices"]?.arrayValue ?? []
        return listed.compactMap { $0["device"]?.stringValue }
    }

    @Test func `a device is registered and listed without its target and keys`() throws {
        try register("laptop", of: "alice", browser())
        let answer = try house.read(ListDevices(), by: "alice")
        #expect(answer == ["devices": [["device": "laptop", "platform": "webpush", "at": .string(house.now.text)]]])
        #expect(try devices(of: "bob") == [])
    }

    @Test func `the phone of a former user rings for nobody else`() throws {
        try register("phone", of: "alice", browser())
        try register("phone", of: "bob", browser())
        #expect(try devices(of: "alice") == [])
        #expect(try devices(of: "bob") == ["phone"])
        // The former user hears of it, and nobody does when it is the own device that changes its name.
        let told = try house.notifications("alice")["notifications"]?.arrayValue ?? []
        #expect(told.map { $0["kind"] } == ["device"] && told[0]["data"] == ["device": "phone"])
        #expect(told[0]["topic"] == "user:alice" && told[0]["body"]?.stringValue?.contains("phone") == true)
        try register("tablet", of: "bob", browser())
        #expect(try devices(of: "bob") == ["tablet"])
        #expect(try house.notifications("bob")["notifications"] == [])
    }

    @Test func `a removed device is not listed, and removing it again changes nothing`() throws {
        try register("phone", of: "alice", browser())
        for _ in 0..<2 {
            #expect(try house.write(RemoveDevice("phone"), by: "alice") == ["device": "phone"])
            #expect(try devices(of: "alice") == [])
        }
    }

    @Test func `a user has at most twenty devices: those used last`() throws {
        for number in 0..<PushLimits.devicesMax + 2 {
            house.now = house.now.adding(milliseconds: 1000)
            try register("d\(number)", of: "alice", browser("https://push.example/\(number)"))
        }
        let kept = try devices(of: "alice")
        #expect(kept.count == PushLimits.devicesMax)
        #expect(kept.first == "d21")
        #expect(kept.last == "d2")
    }

    @Test func `keys and addresses that cannot be used are refused with their fields`() throws {
        let offCurve = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkQ"
        let bad: [(DeviceCommand.Registration, String)] = [
            (browser("http://push.example/1"), "subscription.endpoint"),
            (browser("https://me@push.example/1"), "subscription.endpoint"),
            (browser(point: offCurve), "subscription.keys.p256dh"),
            (browser(point: "BNcR"), "subscription.keys.p256dh"), (browser(point: "B*"), "subscription.keys.p256dh"),
            (browser(auth: "tBHI"), "subscription.keys.auth"),
            (
                DeviceCommand.Registration(
                    platform: .apns,
                    target: .apns(
                        token: String(repeating: "ab", count: 32), topic: "org.other", environment: .production)),
                "topic"
            ),
            (DeviceCommand.Registration(platform: .fcm, target: .fcmToken("t")), "platform"),
        ]
        for (registration, field) in bad {
            let refusal = #expect(throws: Refusal.self) { try RegisterDevice(registration, of: device("d"), offer) }
            #expect(refusal?.code == .badRequest)
            #expect(refusal?.field == field)
        }
        let off = #expect(throws: Refusal.self) { try RegisterDevice(browser(), of: device("d"), PushOffer()) }
        #expect(off?.field == "platform")
    }

    @Test func `a kick with revocation ends the registrations of the user`() throws {
        try register("phone", of: "alice", browser())
        try register("laptop", of: "bob", browser("https://push.example/2"))
        let alice = try #require(UserID("alice"))
        _ = try house.write(KickUser(alice, reason: nil, revokes: false, key: nil), by: "admin")
        #expect(try devices(of: "alice") == ["phone"])
        _ = try house.write(KickUser(alice, reason: nil, revokes: true, key: nil), by: "admin")
        #expect(try devices(of: "alice") == [])
        _ = try house.write(RevokeTokens(.token("jti-laptop"), until: nil, reason: nil, key: nil), by: "admin")
        #expect(try devices(of: "bob") == [])
    }

    @Test func `operators see all devices page by page, and remove one`() throws {
        for (name, user) in [("a", "alice"), ("b", "bob"), ("c", "alice")] {
            try register(name, of: user, browser("https://push.example/\(name)"))
        }
        let first = try house.read(ListPushDevices(of: nil, before: nil, limit: 2), by: "admin")
        #expect(first["devices"]?.arrayValue?.compactMap { $0["user"]?.stringValue } == ["alice", "bob"])
        let next = first["next"]?.stringValue
        let rest = try house.read(ListPushDevices(of: nil, before: next, limit: 2), by: "admin")
        #expect(rest["devices"]?.arrayValue?.compactMap { $0["device"]?.stringValue } == ["a"])
        #expect(!first.text.contains("push.example"))
        let alice = try house.read(ListPushDevices(of: UserID("alice"), before: nil, limit: 1), by: "admin")
        #expect(alice["devices"]?.arrayValue?.count == 2)
        let id = try #require(rest["devices"]?.arrayValue?.first?["id"]?.stringValue.flatMap { Int64($0) })
        _ = try house.write(DeletePushDevice(id: id), by: "admin")
        #expect(try devices(of: "alice") == ["c"])
        let missing = #expect(throws: Refusal.self) { try house.write(DeletePushDevice(id: id), by: "admin") }
        #expect(missing?.code == .notFound)
    }
}
