import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Testing

struct ListDocumentsTests {
    private static func list(_ house: House, _ collection: String, limit: Int = 2) throws -> [JSONValue] {
        var documents: [JSONValue] = []
        var after: String?
        repeat {
            let list = ListDocuments(collection: collection, after: after, limit: limit)
            let page = try house.read(list, by: "admin")
            documents += page["documents"]?.arrayValue ?? []
            after = page["next"]?.stringValue
        } while after != nil
        return documents
    }

    @Test func `listing a collection that commands write lists what can be read one by one`() throws {
        let house = try House.filmNetwork()
        for name in ["bob", "carla", "dan", "eve", "finn"] { try house.follow(name, "user:alice") }
        for other in ["bob", "carla"] {
            try house.follow("alice", "user:\(other)")
            for n in 1...3 { try house.recommend("alice", other, note: "\(n)") }
        }
        try house.send("bob", "alice:bob", "hello")
        for (collection, count) in [
            ("users/alice/followers", 5), ("chats/alice:bob/messages", 4), ("recommendations", 6),
            ("users/nobody/followers", 0), ("chats/alice:eve/messages", 0),
        ] {
            let documents = try Self.list(house, collection)
            #expect(documents.count == count)
            #expect(Set(documents.compactMap { $0["path"]?.stringValue }).count == count)
            for document in documents {
                let path = try DocumentPath(try #require(document["path"]?.stringValue))
                #expect(path.collection == collection)
                #expect(try house.read(ReadDocument(path), by: "admin") == document)
            }
        }
    }

    @Test(arguments: ["users/alice/followers", "chats/alice:bob/messages", "recommendations"])
    func `a page after what is no id is refused`(collection: String) throws {
        let house = try House()
        try house.follow("bob", "user:alice")
        try house.recommend("bob", "alice")
        let refused = try house.refusal {
            try house.read(ListDocuments(collection: collection, after: "x!", limit: 2), by: "admin")
        }
        #expect(refused.field == "after")
    }
}
