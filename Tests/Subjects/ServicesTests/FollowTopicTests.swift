import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

@testable import ClientProtocol

struct FollowTopicTests {
    private static func following(_ house: House, _ name: String, after: String? = nil, limit: Int = 50) throws
        -> JSONValue
    {
        try house.read(ListFollowing(FollowingCommand(after: after, limit: limit)), by: name)
    }

    private static func followers(
        _ house: House,
        _ name: String,
        of topicText: String? = nil,
        after: String? = nil,
        limit: Int = 50
    ) throws -> JSONValue {
        try house.read(
            ListFollowers(FollowersCommand(topic: try topicText.map(topic), after: after, limit: limit)),
            by: name
        )
    }

    @Test func `following counts, repeating is no error and answers with the position of the beginning`() throws {
        let house = try House()
        let first = try house.follow("alice", "person:525")
        #expect(first["followers"] == 1)
        #expect(first.seq == house.head.value)
        #expect(try house.follow("bob", "person:525")["followers"] == 2)
        let state = try house.state()
        #expect(try house.follow("alice", "person:525") == ["seq": .integer(first.seq ?? 0), "followers": 2])
        #expect(try house.state() == state)
    }

    @Test func `unfollowing counts down, and repeating changes nothing`() throws {
        let house = try House()
        try house.follow("alice", "person:525")
        #expect(try house.follow("alice", "person:525", isOn: false)["followers"] == 0)
        let head = house.head
        let again = try house.follow("alice", "person:525", isOn: false)
        #expect(again["followers"] == 0)
        #expect(again.seq == head.value)
        #expect(house.head == head)
        #expect(try house.follow("bob", "series:tv/1", isOn: false)["followers"] == 0)
    }

    @Test func `ending a follow that never was leaves no row`() throws {
        let house = try House()
        _ = try house.actor("alice")
        let head = house.head
        #expect(try house.follow("alice", "user:ghost", isOn: false)["followers"] == 0)
        #expect(try house.look { try $0.streams.find(topic("user:ghost")) == nil })
        #expect(house.head == head)
    }

    @Test func `a user follows a bounded number of topics, an administrator's documents included`() throws {
        let house = try House()
        for number in 0..<Limits.followsMax { try house.follow("alice", "t:\(number)") }
        let refused = try house.refusal { try house.follow("alice", "t:more") }
        #expect(refused.code == .tooMany)
        #expect(refused.field == "topic")
        #expect(refused.message.contains("5000"))
        #expect(try house.refusal { try house.put("people/1/followers/alice", [:]) }.code == .tooMany)
        #expect(try house.follow("alice", "t:1")["followers"] == 1)
        try house.follow("alice", "t:1", isOn: false)
        try house.follow("alice", "t:more")
    }

    @Test func `nobody follows himself`() throws {
        let house = try House()
        let refused = try house.refusal { try house.follow("alice", "user:alice") }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "topic")
    }

    @Test func `every device hears of it, with the key`() throws {
        let house = try House()
        let session = try house.connect("alice")
        try house.follow("alice", "person:525", key: writeKey("k"))
        try house.follow("alice", "person:525", isOn: false)
        #expect(session.types == ["followed", "unfollowed"])
        #expect(session.events[0]["topic"] == "person:525")
        #expect(session.events[0]["key"] == "k")
    }

    @Test func `lists are paged and counted`() throws {
        let house = try House()
        for name in ["person:1", "person:2", "user:bob"] { try house.follow("alice", name) }
        for name in ["carol", "dave"] { try house.follow(name, "user:bob") }
        let first = try Self.following(house, "alice", limit: 2)
        #expect(first.texts("topics") == ["person:1", "person:2"])
        #expect(first["count"] == 3)
        let rest = try Self.following(house, "alice", after: first["next"]?.stringValue, limit: 2)
        #expect(rest.texts("topics") == ["user:bob"])
        #expect(rest["next"] == nil)
        let followers = try Self.followers(house, "bob", limit: 2)
        #expect(followers.texts("users") == ["alice", "carol"])
        #expect(followers["count"] == 3)
        let last = try Self.followers(house, "eve", of: "user:bob", after: followers["next"]?.stringValue, limit: 2)
        #expect(last.texts("users") == ["dave"])
        #expect(last["next"] == nil)
        #expect(try Self.followers(house, "alice") == ["users": [], "count": 0])
        #expect(try house.refusal { try Self.followers(house, "alice", after: "-1") }.field == "after")
    }

    @Test func `one topic is asked for by name`() throws {
        let house = try House()
        try house.follow("alice", "person:1")
        func asks(_ name: String) throws -> [String] {
            try house.read(ListFollowing(FollowingCommand(topic: topic(name))), by: "alice").texts("topics")
        }
        #expect(try asks("person:1") == ["person:1"])
        #expect(try asks("person:2") == [])
    }

    @Test func `a follow is a document that an administrator writes and reads`() throws {
        let house = try House()
        let put = try house.put("people/525/followers/alice", [:])
        #expect(put["version"] == 1)
        #expect(try Self.following(house, "alice").texts("topics") == ["person:525"])
        let read = try house.read(ReadDocument(DocumentPath("people/525/followers/alice")), by: "admin")
        #expect(read["data"]?["follower"] == "alice")
        #expect(read["seq"]?.integerValue == put.seq)
        try house.delete("people/525/followers/alice")
        #expect(try Self.following(house, "alice").texts("topics") == [])
        #expect(try house.refusal { try house.delete("people/525/followers/alice") }.code == .notFound)
    }

    @Test func `a follow's version is 1 while it stands and 0 while it does not`() throws {
        let house = try House()
        let path = "people/525/followers/alice"
        #expect(try house.refusal { try house.put(path, [:], ifVersion: 1) }.code == .conflict)
        try house.put(path, [:], ifVersion: 0)
        #expect(try house.refusal { try house.put(path, [:], ifVersion: 0) }.field == "ifVersion")
        #expect(try house.refusal { try house.delete(path, ifVersion: 2) }.code == .conflict)
        try house.delete(path, ifVersion: 1)
    }

    @Test func `the answer to a follow that is put names the topic that is followed`() throws {
        let house = try House(triggers: [Self.row(followedKind: "branch")])
        let put = try house.put("branches/mitte/followers/ayse", [:])
        #expect(put["topic"] == "branch:mitte")
        #expect(put["warnings"] == nil)
        #expect(try Self.following(house, "ayse").texts("topics") == ["branch:mitte"])
        #expect(try house.delete("branches/mitte/followers/ayse")["topic"] == "branch:mitte")
        #expect(try house.put("branches/mitte", [:])["topic"] == nil)
    }

    @Test func `a follow of a kind without triggers gets a warning, which says what to write`() throws {
        let house = try House(triggers: [Self.row(followedKind: "branch")])
        let put = try house.put("filialen/mitte/followers/ayse", [:])
        #expect(put["topic"] == nil)
        #expect(
            put.texts("warnings").first?.contains(
                "this is not a follow: 'filialen' is not the plural of a known kind") == true)
        let other = try house.put("cities/rome/followers/ayse", [:])
        #expect(other["topic"] == "city:rome")
        let warning = try #require(other.texts("warnings").first)
        #expect(warning.contains("no trigger has the audience followers:city:…"))
        #expect(warning.contains(#""collections": {"KIND": "cities"}"#))
        #expect(try house.put("users/bob/followers/ayse", [:])["warnings"] == nil, "people follow each other anyway")
        #expect(try house.delete("cities/rome/followers/ayse")["warnings"] == nil)
        try house.write(DeleteTrigger(name: "t"), by: "admin")
        #expect(try house.put("branches/nord/followers/ayse", [:]).texts("warnings").count == 1)
    }

    @Test func `a collection of followers lists them, page by page`() throws {
        let house = try House()
        for name in ["zoe", "ayse", "bob"] { try house.follow(name, "branch:mitte") }
        func page(after: String? = nil) throws -> JSONValue {
            try house.read(
                ListDocuments(collection: "branches/mitte/followers", after: after, limit: 2), by: "admin")
        }
        let first = try page()
        #expect(
            first.texts("documents", "path") == [
                "branches/mitte/followers/zoe", "branches/mitte/followers/ayse",
            ])
        #expect(first["documents"]?.arrayValue?.first?["data"] == ["follower": "zoe", "topic": "branch:mitte"])
        let one = try house.read(ReadDocument(DocumentPath("branches/mitte/followers/zoe")), by: "admin")
        #expect(first["documents"]?.arrayValue?.first?["seq"] == one["seq"])
        let rest = try page(after: first["next"]?.stringValue)
        #expect(rest.texts("documents", "path") == ["branches/mitte/followers/bob"])
        #expect(rest["next"] == nil)
        #expect(try house.refusal { try page(after: "nobody") }.field == "after")
        let none = try house.read(
            ListDocuments(collection: "branches/nord/followers", after: nil, limit: 2), by: "admin")
        #expect(none == ["documents": []])
    }

    private static func row(followedKind kind: String) -> JSONValue {
        [
            "name": "t", "event": "write", "path": "items/{item}", "audience": .string("followers:\(kind):{item}"),
            "title": "{{item}}",
        ]
    }
}

struct TopicCollectionsTests {
    @Test func `a folder from before the plurals of English keeps what its topics were called`() throws {
        var collections = TopicCollections(configured: ["box": "crates"])
        let kept = collections.keep(kindsOfBefore: ["branche", "city", "station", "person", "box", "new"])
        #expect(kept == ["branche": "branches", "city": "citys", "new": "news"])
        let follow = try collections.follow(at: DocumentPath("branches/mitte/followers/ayse"))
        #expect(follow?.topic.text == "branche:mitte", "as it was followed before")
        #expect(
            collections.followPath(of: try topic("city:rome"), by: try user("ayse"))?.text
                == "citys/rome/followers/ayse")
        #expect(collections.kind(ofCollection: "cities") == nil, "its plural here is another")
        #expect(collections.collection(ofKind: "branch") == "branchs", "two kinds never share a collection")
        #expect(collections.collection(ofKind: "match") == "matches", "what is new is right")
        var decided = TopicCollections(configured: ["branch": "branches"])
        #expect(decided.keep(kindsOfBefore: ["branche"]) == [:], "what is configured goes first")
    }

    @Test(arguments: [
        ("person", "people"), ("series", "series"), ("user", "users"), ("station", "stations"), ("product", "products"),
    ])
    func `a kind and its collection name each other`(kind: String, collection: String) {
        let collections = TopicCollections()
        #expect(collections.collection(ofKind: kind) == collection)
        #expect(collections.kind(ofCollection: collection) == kind)
    }

    @Test func `the configured plural goes first`() {
        let collections = TopicCollections(configured: ["city": "cities"])
        #expect(collections.collection(ofKind: "city") == "cities")
        #expect(collections.kind(ofCollection: "cities") == "city")
        #expect(collections.collection(ofKind: "person") == "people")
    }

    @Test(arguments: ["user:bob", "person:525", "product:tv/1399", "series:tv/1", "product:movie/603"])
    func `the path of a follow reads as that follow`(text: String) throws {
        let collections = TopicCollections()
        let path = try #require(collections.followPath(of: topic(text), by: user("alice")))
        let found = try #require(collections.follow(at: path))
        #expect(found.topic.text == text)
        #expect(found.follower.text == "alice")
    }

    @Test(arguments: ["users/bob", "users/bob/followers/alice/notes/1", "users/bob/tasks/1", "x/1/followers/alice"])
    func `other paths are no follows`(text: String) throws {
        #expect(try TopicCollections().follow(at: DocumentPath(text)) == nil)
    }
}
