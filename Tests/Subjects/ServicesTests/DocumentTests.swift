import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct DocumentTests {
    private static func read(_ house: House, _ path: String) throws -> JSONValue {
        try house.read(ReadDocument(DocumentPath(path)), by: "admin")
    }

    @Test func `a document is put, read, patched and deleted, its version counting on`() throws {
        let house = try House()
        let put = try house.put("items/1", ["a": 1, "b": ["c": 2]])
        #expect(put == ["path": "items/1", "version": 1, "seq": .integer(house.head.value), "triggers": []])
        #expect(try Self.read(house, "items/1")["data"] == ["a": 1, "b": ["c": 2]])
        let patched = try house.document("items/1", .patch(["a": nil, "b": ["d": 3]]))
        #expect(patched["version"] == 2)
        #expect(try Self.read(house, "items/1")["data"] == ["b": ["c": 2, "d": 3]])
        #expect(try house.delete("items/1")["version"] == 3)
        #expect(try house.refusal { try Self.read(house, "items/1") }.code == .notFound)
        #expect(try house.refusal { try house.delete("items/1") }.code == .notFound)
        #expect(try house.put("items/1", [:])["version"] == 4)
    }

    /// RFC 7396, appendix A, for the cases that are objects.
    @Test(
        arguments: [
            (["a": "b"], ["a": "c"], ["a": "c"]), (["a": "b"], ["b": "c"], ["a": "b", "b": "c"]),
            (["a": "b"], ["a": nil], [:]),
            (["a": "b", "b": "c"], ["a": nil], ["b": "c"]), (["a": ["b"]], ["a": "c"], ["a": "c"]),
            (["a": "c"], ["a": ["b"]], ["a": ["b"]]),
            (["a": ["b": "c"]], ["a": ["b": "d", "c": nil]], ["a": ["b": "d"]]),
            (["a": [["b": "c"]]], ["a": [1]], ["a": [1]]), (["e": nil], ["a": 1], ["e": nil, "a": 1]),
            ([:], ["a": ["bb": ["ccc": nil]]], ["a": ["bb": [:]]]),
        ] as [(JSONObject, JSONObject, JSONValue)]
    )
    func `a merge patch does what RFC 7396 shows`(before: JSONObject, patch: JSONObject, after: JSONValue) throws {
        let house = try House()
        try house.put("items/1", before)
        try house.document("items/1", .patch(patch))
        #expect(try Self.read(house, "items/1")["data"] == after)
    }

    @Test func `the version one knows must be the document's`() throws {
        let house = try House()
        #expect(try house.refusal { try house.put("items/1", [:], ifVersion: 1) }.code == .conflict)
        try house.put("items/1", ["a": 1], ifVersion: 0)
        let refused = try house.refusal { try house.put("items/1", ["a": 2], ifVersion: 0) }
        #expect(refused.code == .conflict)
        #expect(refused.field == "ifVersion")
        try house.put("items/1", ["a": 2], ifVersion: 1)
        #expect(try house.refusal { try house.delete("items/1", ifVersion: 1) }.code == .conflict)
        try house.delete("items/1", ifVersion: 2)
        #expect(try house.put("items/1", ["a": 3], ifVersion: 0)["version"] == 4)
    }

    @Test func `a document is no larger than its limit`() throws {
        let house = try House()
        func text(_ count: Int) -> JSONObject { ["a": .string(String(repeating: "x", count: count))] }
        let most = DocumentLimits.bytesMax - "{\"a\":\"\"}".utf8.count
        try house.put("items/1", text(most))
        let refused = try house.refusal { try house.put("items/2", text(most + 1)) }
        #expect(refused.code == .tooLarge)
        #expect(try house.refusal { try house.document("items/1", .patch(["b": 1])) }.code == .tooLarge)
    }

    @Test func `a batch is one commit: one refusal undoes all and says which write`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:1")
        func write(_ path: String, _ version: Int64? = nil) throws -> DocumentWrite {
            DocumentWrite(
                path: try DocumentPath(path), operation: .put(["title": "T", "releaseDate": "2026-11-17"]),
                ifVersion: version)
        }
        let good = try [write("people/1/credits/movie/1"), write("people/1/credits/movie/2")]
        let refused = try house.refusal {
            try house.write(WriteDocuments(batch: good + [write("items/1", 7)], key: nil), by: "admin")
        }
        #expect(refused.field == "writes[2].ifVersion")
        #expect(try house.counts("alice").notifications == 0)
        let reply = try house.write(WriteDocuments(batch: good, key: nil), by: "admin")
        #expect(reply.texts("documents", "path") == ["people/1/credits/movie/1", "people/1/credits/movie/2"])
        #expect(try house.counts("alice").notifications == 2)
    }

    @Test func `the documents of commands can be read, and only commands write them`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "!")
        let seen: JSONValue = [
            "from": "alice", "to": "bob", "product": ["id": "movie/603", "title": "The Matrix"], "note": "!",
            "seen": false,
        ]
        #expect(try Self.read(house, "recommendations/alice:bob-1")["data"] == seen)
        let message = try Self.read(house, "chats/alice:bob/messages/1")["data"]
        #expect(message?["from"] == "alice")
        #expect(message?["text"] == "!")
        try house.markRead("bob", "alice:bob", 1)
        #expect(try Self.read(house, "recommendations/alice:bob-1")["data"]?["seen"] == true)
        for path in ["recommendations/alice:bob-1", "chats/alice:bob/messages/9"] {
            #expect(try house.refusal { try house.put(path, [:]) }.code == .forbidden)
            #expect(try house.refusal { try house.delete(path) }.code == .forbidden)
        }
        for path in ["recommendations/alice:bob-2", "chats/alice:bob/messages/9", "users/bob/followers/eve"] {
            #expect(try house.refusal { try Self.read(house, path) }.code == .notFound)
        }
    }

    @Test(arguments: [
        "recommendations/forged", "recommendations/alice:bob-01", "recommendations/bob:alice-1",
        "recommendations/alice:bob-1/comments/1", "chats/alice:bob", "chats/alice:bob/messages/01",
        "chats/alice:bob/messages/x", "chats/alice:bob/notes/1", "chats/lobby/followers/alice",
    ])
    func `nothing below chats and recommendations is written by an administrator, by no door`(path: String) throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.put(trigger: [
            "name": "forged", "event": "write", "path": .string(try pattern(of: path)), "audience": "everyone",
            "title": "Bob recommends {{after.product.title}}",
        ])
        let data: JSONObject = ["from": "bob", "to": "alice", "product": ["id": "movie/603", "title": "Malware"]]
        let write = DocumentWrite(path: try DocumentPath(path), operation: .put(data))
        let doors: [() throws -> JSONValue] = [
            { try house.put(path, data) }, { try house.document(path, .patch(data)) }, { try house.delete(path) },
            { try house.write(WriteDocuments(batch: [write], key: nil), by: "admin") },
        ]
        for door in doors {
            let refused = try house.refusal { try door() }
            #expect(refused.code == .forbidden)
            #expect(refused.field?.hasSuffix("path") == true)
            #expect(refused.message.contains("commands"))
        }
        #expect(try house.counts("alice").notifications == 0)
    }

    /// A trigger's path pattern that matches the document's path.
    private func pattern(of path: String) throws -> String {
        try DocumentPath(path).levels.enumerated().map { "\($1.collection)/{id\($0)}" }.joined(separator: "/")
    }

    @Test func `a collection is listed in pages`() throws {
        let house = try House()
        for id in ["c", "a", "b"] { try house.put("items/\(id)", ["id": .string(id)]) }
        try house.put("items/a/parts/1", [:])
        func list(after: String?) throws -> JSONValue {
            try house.read(ListDocuments(collection: "items", after: after, limit: 2), by: "admin")
        }
        let first = try list(after: nil)
        #expect(first.texts("documents", "path") == ["items/a", "items/b"])
        #expect(first["documents"]?.arrayValue?.first?["data"] == ["id": "a"])
        let rest = try list(after: first["next"]?.stringValue)
        #expect(rest.texts("documents", "path") == ["items/c"])
        #expect(rest["next"] == nil)
    }

    @Test func `statistics count what is there`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob")
        try house.put("items/1", [:])
        let statistics = try house.read(ReadStatistics(), by: "admin")
        #expect(
            statistics == [
                "seq": .integer(house.head.value), "users": 2, "chats": 1, "documents": 1, "triggers": 7, "dead": 0,
            ]
        )
    }
}

struct StandingDocumentsTests {
    @Test(arguments: ["alice:bob", "a-1:b-2", "room:x-1"])
    func `the paths of a message name it again`(name: String) throws {
        let path = try #require(StandingDocuments.messagePath(chat: chat(name), n: 12))
        let found = try #require(StandingDocuments.message(at: path))
        #expect(found.chat.text == name)
        #expect(found.n == 12)
        #expect(!found.isRecommendation)
        let other = try #require(StandingDocuments.recommendationPath(chat: chat(name), n: 3))
        let recommendation = try #require(StandingDocuments.message(at: other))
        #expect(recommendation.chat.text == name)
        #expect(recommendation.n == 3)
        #expect(recommendation.isRecommendation)
    }

    @Test(arguments: [
        "chats/alice:bob", "chats/alice:bob/messages/x", "chats/alice:bob/messages/0", "chats/bob:alice/messages/1",
        "recommendations/alice:bob", "recommendations/alice:bob-0", "recommendations/1", "items/1",
    ])
    func `other paths name no message`(text: String) throws {
        #expect(try StandingDocuments.message(at: DocumentPath(text)) == nil)
    }
}
