import Execution
import JSON
import Model
@testable import Push
import Services
import ServicesTestSupport
import Testing
@testable import PushThread
@testable import Log
@testable import Store

/// The titles of pushed chat messages: the name of the author, as each reader may know it.
struct PushTitleTests {
    private let house: House
    private let rules = RulesInForce()
    /// By reader.
    private var jobs: [String: PushJobEntry] = [:]

    init() throws {
        house = try House()
        for reader in ["bob", "cleo"] {
            _ = try house.entry(reader)
            try house.follow("alice", "user:\(reader)")
            try house.addDevice(of: reader)
            try house.send("alice", reader)
            jobs[reader] = try house.pushJob
        }
        try house.put("users/alice", ["name": "Alice Rossi"])
    }

    private func put(readers: JSONValue) throws {
        let rules: JSONObject = ["users/{user}": ["read": readers]]
        try house.write(PutRules(["rules": .object(rules)], ifVersion: nil, key: nil), by: "admin")
    }

    private func material(
        for reader: String, by rules: RulesInForce? = nil, _ collections: TopicCollections = TopicCollections()
    ) throws -> PushMaterial {
        let job = try #require(jobs[reader])
        return try house.decide(job, for: reader, upTo: 1, by: rules ?? self.rules, collections).material
    }

    private func content(
        for reader: String, by rules: RulesInForce? = nil, _ collections: TopicCollections = TopicCollections()
    ) throws -> PushContent {
        try material(for: reader, by: rules, collections).content(for: Aims.device(1, of: 2), gone: [], open: nil)
    }

    @Test(
        arguments: [
            (["name": "Alice Rossi"], "Alice Rossi"), (["title": "Dr. Rossi"], "Dr. Rossi"),
            (["name": "", "title": "Dr. Rossi"], "Dr. Rossi"), (["name": 7], "alice"),
            (["name": "", "title": ""], "alice"),
            (["city": "Torino"], "alice"), (["name": " Alice\n\u{202e}Rossi\u{0}"], "Alice Rossi"),
            (["name": "\u{202e}\n"], "alice"),
            (["name": .string(String(repeating: "à", count: 300))], String(repeating: "à", count: 199) + "…"),
        ] as [(JSONObject, String)])
    func `the title is the author's name on one line, or else the id`(document: JSONObject, title: String) throws {
        try put(readers: "public")
        try house.put("users/alice", document)
        let content = try content(for: "bob")
        #expect(content.title == title)
        #expect(content.language == nil, "nobody knows the language of a message")
    }

    @Test func `an author without a document is named by the id`() throws {
        try put(readers: "public")
        #expect(try content(for: "bob").title == "Alice Rossi")
        try house.delete("users/alice")
        #expect(try content(for: "bob").title == "alice")
    }

    @Test func `each reader sees what the rules allow`() throws {
        try put(readers: ["followers", "role:clerk"])
        #expect(try content(for: "bob").title == "alice")
        try house.follow("bob", "user:alice")
        #expect(try content(for: "bob").title == "Alice Rossi")
        #expect(try content(for: "cleo").title == "alice")
        try house.put("roles/clerk/users/cleo", [:])
        #expect(try content(for: "cleo").title == "Alice Rossi")
        try house.follow("bob", "user:alice", isOn: false)
        #expect(try content(for: "bob").title == "alice")
    }

    @Test func `rules that change while the server runs count from the next push on`() throws {
        let configured = RulesInForce(configured: try AccessRules(["users/{user}": "public"]))
        #expect(try content(for: "bob").title == "alice", "without rules, all documents are the server's own")
        #expect(try content(for: "bob", by: configured).title == "Alice Rossi")
        try put(readers: "server")
        #expect(try content(for: "bob", by: configured).title == "alice")
        try put(readers: "public")
        #expect(try content(for: "bob").title == "Alice Rossi")
        #expect(try content(for: "bob", by: configured).title == "Alice Rossi")
        try put(readers: "owner")
        #expect(try content(for: "bob").title == "alice")
    }

    @Test func `the name is read where the configuration says that people are`() throws {
        let members = TopicCollections(configured: ["user": "members"])
        let rules = RulesInForce(configured: try AccessRules(["members/{user}": "public"]))
        #expect(try content(for: "bob", by: rules, members).title == "alice")
        try house.put("members/alice", ["name": "Alice B."])
        #expect(try content(for: "bob", by: rules, members).title == "Alice B.")
    }

    @Test(arguments: PushPrivacy.allCases)
    func `the name leaves the server in clear only for a device that wants full texts`(privacy: PushPrivacy) throws {
        try put(readers: "public")
        // The example of RFC 8291, section 5.
        let keys = PushRegistration.Keys(
            publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            secret: "BTBZMqHH6r4Tts7J_aSIgg")
        let device = PushDeviceEntry(
            id: 1, user: try house.entry("bob").id, device: "phone",
            registration: PushRegistration(.fcm, target: "token", .token, keys: keys, privacy: privacy),
            registered: house.now, used: house.now, succeeded: nil, failures: 0, problem: nil, withdrawn: nil)
        let content = try material(for: "bob").content(for: device, gone: [], open: nil)
        let cover = try PushOrder(device: device, content: content, number: 1, variant: .usual).cover()
        let fcm = try FCMRequest.make(
            content, to: .token("token"), of: FCMService(project: "project"), cover: cover, token: "token",
            at: house.now)
        let apns = try APNsRequest.make(
            content, to: APNsTarget(token: "ab", topic: "app", environment: .production), in: .production,
            of: APNsService(isCriticalAllowed: false), cover: cover, id: "id", token: "token", at: house.now)
        for request in [fcm, apns] {
            let isShown = String(decoding: request.body, as: UTF8.self).contains("Alice Rossi")
            #expect(isShown == (privacy == .full))
        }
    }
}
