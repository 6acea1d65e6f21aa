import Model
@testable import Push
import Store
import StoreTestSupport
import Testing

struct PushDeviceTableTests {
    private let store: TestStore
    private let alice: StreamID
    private let bob: StreamID
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws {
        store = try TestStore()
        (alice, bob) = try store.write { transaction in
            (
                try transaction.users.findOrMake(userID("alice"), at: .zero),
                try transaction.users.findOrMake(userID("bob"), at: .zero)
            )
        }
    }

    private func browser(_ endpoint: String) -> PushRegistration {
        var registration = PushRegistration(
            .webpush, target: "https://push.example/\(endpoint)", .endpoint,
            keys: PushRegistration.Keys(publicKey: "p", secret: "s"))
        registration.serverKey = "BKey"
        registration.open = "https://app.example/"
        registration.language = LanguageTag("it")
        registration.tokenID = "jti"
        registration.tokenIssued = now
        return registration
    }

    private func put(_ registration: PushRegistration, _ device: String, of user: StreamID, after: Int64 = 0) throws
        -> Int64
    {
        try store.write {
            try $0.pushDevices.put(registration, as: device, of: user, at: now.adding(milliseconds: after))
        }
    }

    private func devices(of user: StreamID) throws -> [PushDeviceEntry] {
        try store.read { try $0.pushDevices.all(of: user) }
    }

    @Test func `a registration is read as it was written`() throws {
        let id = try put(browser("1"), "laptop", of: alice)
        let entry = try #require(try store.read { try $0.pushDevices.find(id) })
        #expect(entry.registration == browser("1"))
        #expect((entry.user, entry.device, entry.registered, entry.used) == (alice, "laptop", now, now))
        #expect((entry.succeeded, entry.failures, entry.problem) == (nil, 0, nil))
    }

    @Test func `the same registration again keeps its number, its time and the server's key`() throws {
        let first = try put(browser("1"), "laptop", of: alice)
        var again = browser("1")
        again.serverKey = "BNewer"
        again.privacy = .hidden
        again.tokenID = "jti2"
        #expect(try put(again, "laptop", of: alice, after: 5000) == first)
        let entry = try #require(try devices(of: alice).first)
        #expect(entry.registered == now)
        #expect(entry.used == now.adding(milliseconds: 5000))
        #expect(entry.registration.serverKey == "BKey")
        #expect(entry.registration.privacy == .hidden)
        #expect(entry.registration.tokenID == "jti2")
    }

    @Test func `a target moves to the user that registers it last`() throws {
        try #expect(put(browser("1"), "laptop", of: alice) != put(browser("1"), "laptop", of: bob))
        #expect(try devices(of: alice).isEmpty)
        #expect(try devices(of: bob).map(\.device) == ["laptop"])
    }

    @Test func `a device has one registration`() throws {
        _ = try put(browser("1"), "laptop", of: alice)
        let second = try put(browser("2"), "laptop", of: alice)
        #expect(try devices(of: alice).map(\.id) == [second])
    }

    @Test func `when there are too many devices, those that were used longest ago go`() throws {
        for number in 0..<5 { _ = try put(browser("\(number)"), "d\(number)", of: alice, after: Int64(number)) }
        _ = try put(browser("0"), "d0", of: alice, after: 10)
        #expect(try store.write { try $0.pushDevices.deleteSurplus(of: alice, kept: 3) } == 2)
        #expect(try devices(of: alice).map(\.device) == ["d0", "d4", "d3"])
    }

    @Test func `devices go with the tokens that registered them`() throws {
        _ = try put(browser("1"), "one", of: alice)
        var other = browser("2")
        (other.tokenID, other.tokenIssued) = ("other", now.adding(milliseconds: 1))
        _ = try put(other, "two", of: alice)
        var old = browser("3")
        (old.tokenID, old.tokenIssued) = (nil, nil)
        _ = try put(old, "three", of: alice)
        try store.write { try $0.pushDevices.deleteRevoked(.token("other")) }
        #expect(Set(try devices(of: alice).map(\.device)) == ["one", "three"])
        try store.write {
            try $0.pushDevices.deleteRevoked(.user(userID("alice"), issuedUpTo: now.adding(milliseconds: -1)))
        }
        #expect(try devices(of: alice).map(\.device) == ["one"])
        try store.write { try $0.pushDevices.deleteRevoked(.user(userID("alice"), issuedUpTo: now)) }
        #expect(try devices(of: alice).isEmpty)
    }

    @Test func `devices that were not used for long go`() throws {
        _ = try put(browser("1"), "one", of: alice)
        _ = try put(browser("2"), "two", of: alice, after: 1000)
        let limit = now.adding(milliseconds: 1000)
        #expect(try store.write { try $0.pushDevices.deleteUnused(since: limit, limit: 10) } == 1)
        #expect(try devices(of: alice).map(\.device) == ["two"])
        try store.write {
            try $0.pushDevices.setUsed("two", of: alice, language: nil, at: now.adding(milliseconds: 9000))
        }
        #expect(
            try store.write { try $0.pushDevices.deleteUnused(since: now.adding(milliseconds: 2000), limit: 10) } == 0)
    }

    @Test func `a use is noted with the language, and says when the next one is worth it`() throws {
        _ = try put(browser("1"), "one", of: alice)
        func use() throws -> PushDeviceUse? { try store.read { try $0.pushDevices.use(of: "one", of: alice) } }
        let registered = try #require(try use())
        #expect(registered == PushDeviceUse(used: now, language: LanguageTag("it")))
        #expect(try store.read { try $0.pushDevices.use(of: "one", of: bob) } == nil)
        let day = now.adding(milliseconds: PushLimits.useNotedMilliseconds)
        #expect(registered.isOutdated(by: nil, at: day))
        #expect(!registered.isOutdated(by: LanguageTag("it"), at: day.adding(milliseconds: -1)))
        #expect(registered.isOutdated(by: LanguageTag("pl"), at: now))
        try store.write { try $0.pushDevices.setUsed("one", of: alice, language: LanguageTag("pl"), at: day) }
        #expect(try use() == PushDeviceUse(used: day, language: LanguageTag("pl")))
        try store.write { try $0.pushDevices.setUsed("one", of: alice, language: nil, at: now) }
        #expect(try use() == PushDeviceUse(used: now, language: LanguageTag("pl")))
    }

    @Test func `devices are counted by platform`() throws {
        _ = try put(browser("1"), "one", of: alice)
        _ = try put(PushRegistration(.apns, target: "ab", .token), "two", of: alice)
        _ = try put(PushRegistration(.apns, target: "cd", .token), "one", of: bob)
        #expect(try store.read { try $0.pushDevices.counts() } == [.webpush: 1, .apns: 2])
        #expect(
            try store.read { try ($0.pushDevices.exists(of: alice), $0.pushDevices.exists(of: .everyone)) } == (
                true, false
            ))
        #expect(try store.read { try $0.pushDevices.page(before: nil, limit: 2) }.map(\.device) == ["one", "two"])
    }
}
