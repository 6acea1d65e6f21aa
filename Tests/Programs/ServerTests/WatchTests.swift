import Configuration
import Execution
import JSON
import Model
import Server
import TestSupport
import Testing

/// `watch` and `unwatch`, over real connections.
struct WatchTests {
    let server: TestServer

    init() throws { server = try DocumentCommandTests.server.get() }

    private func put(_ admin: Admin, _ path: String, _ data: JSONValue) throws {
        #expect(try admin.call("PUT", "/v1/documents/\(path)", data).status == 200)
    }

    @Test func `a watcher gets a collection as it is, then every change of it`() throws {
        let name = server.name("alice")
        let (phone, laptop) = (try server.device(name, "phone"), try server.device(name, "laptop"))
        let tasks = "users/\(name)/tasks"
        let path = JSONValue.string(tasks)
        try laptop.ok(["type": "put", "path": .string("\(tasks)/1"), "data": ["n": 1], "key": "a"])
        let begun = try phone.ok(["type": "watch", "path": path])
        #expect(begun["documents"]?.arrayValue?.count == 1)
        let first = begun["documents"]?.arrayValue?.first
        #expect(first?["path"] == .string("\(tasks)/1"))
        #expect(first?["version"] == 1)
        #expect(first?["data"] == ["n": 1])
        #expect(begun["next"] == nil)
        let put = try laptop.ok(["type": "put", "path": .string("\(tasks)/2"), "data": ["n": 2], "key": "b"])
        let event = try phone.event("document")
        #expect(event["seq"] == put["seq"])
        #expect(event["path"] == .string("\(tasks)/2"))
        #expect(event["data"] == ["n": 2])
        try laptop.ok(["type": "remove", "path": .string("\(tasks)/1"), "key": "c"])
        let gone = try phone.event("document")
        #expect(gone["data"] == .null)
        #expect(gone["version"] == 2)
        // Writers get events about their own writes where they watch, and only there.
        try laptop.settle()
        #expect(laptop.durable.isEmpty)
        try phone.ok(["type": "unwatch", "path": path])
        try laptop.ok(["type": "put", "path": .string("\(tasks)/3"), "data": [:], "key": "d"])
        try phone.settle()
        #expect(phone.durable.count == 2)
        #expect(try phone.ok(["type": "unwatch", "path": path])["path"] == path)
    }

    @Test func `a single document is watched, also before it is there, and without its neighbours`() throws {
        let id = server.name("item")
        let device = try server.device(server.name("alice"))
        let admin = try server.admin()
        let begun = try device.ok(["type": "watch", "path": .string("items/\(id)")])
        #expect(begun["documents"] == [])
        try put(admin, "items/\(id)-other", ["n": 1])
        try put(admin, "items/\(id)", ["n": 2])
        #expect(try device.event("document")["data"] == ["n": 2])
        // A document that is watched alone and with its collection gives one event for each change.
        try device.ok(["type": "watch", "path": "items"])
        try put(admin, "items/\(id)", ["n": 3])
        #expect(try device.event("document")["data"] == ["n": 3])
        try device.settle()
        #expect(device.durable.count { $0["path"] == .string("items/\(id)") } == 2)
        try device.ok(["type": "unwatch", "path": "items"])
        try put(admin, "items/\(id)", ["n": 4])
        #expect(try device.event("document") { $0["data"] == ["n": 4] }["version"] == 3)
    }

    @Test func `a large collection comes in pages, and a change after the mark comes with its page`() throws {
        let name = server.name("alice")
        let (device, writer) = (try server.device(name, "a"), try server.device(name, "b"))
        let tasks = "users/\(name)/tasks"
        let count = DocumentLimits.watchPageDocuments * 2 + 5
        let writes = (0..<count).map { n -> JSONValue in
            ["op": "put", "path": .string("\(tasks)/\(10_000 + n)"), "data": ["n": .integer(Int64(n))]]
        }
        #expect(try server.admin().call("POST", "/v1/documents", ["writes": .array(writes)]).status == 200)
        let path = JSONValue.string(tasks)
        var page = try device.ok(["type": "watch", "path": path])
        var seen = page["documents"]?.arrayValue?.compactMap { $0["path"]?.stringValue } ?? []
        #expect(seen.count == DocumentLimits.watchPageDocuments)
        // A change before the mark comes as an event, one after it comes with its page.
        let change = { (n: Int, key: String) in
            try writer.ok([
                "type": "put", "path": .string("\(tasks)/\(10_000 + n)"), "data": ["changed": .string(key)],
                "key": .string(key),
            ])
        }
        _ = try change(count - 1, "late")
        _ = try change(3, "early")
        #expect(try device.event("document")["path"] == .string("\(tasks)/10003"))
        let wrong = try device.refused(["type": "watch", "path": path, "after": "10001"])
        #expect(wrong["code"] == "conflict")
        #expect(wrong["field"] == "after")
        while let next = page["next"] {
            page = try device.ok(["type": "watch", "path": path, "after": next])
            seen += page["documents"]?.arrayValue?.compactMap { $0["path"]?.stringValue } ?? []
        }
        #expect(seen == (0..<count).map { "\(tasks)/\(10_000 + $0)" })
        #expect(page["documents"]?.arrayValue?.last?["data"] == ["changed": "late"])
        _ = try change(count - 1, "last")
        #expect(try device.event("document")["path"] == .string("\(tasks)/\(10_000 + count - 1)"))
        #expect(device.durable.count == 2)
    }

    @Test func `a page is bounded by its bytes, too`() throws {
        let prefix = server.name("big")
        let admin = try server.admin()
        let text = JSONValue.string(String(repeating: "x", count: 60_000))
        for n in 0..<8 { try put(admin, "heavy/\(prefix)-\(n)", ["text": text]) }
        let device = try server.device(server.name("alice"))
        var page = try device.ok(["type": "watch", "path": "heavy"])
        var count = page["documents"]?.arrayValue?.count ?? 0
        #expect(count < 8)
        while let next = page["next"] {
            page = try device.ok(["type": "watch", "path": "heavy", "after": next])
            count += page["documents"]?.arrayValue?.count ?? 0
        }
        #expect(count == 8)
    }

    @Test func `after a reconnect only what has changed comes, or everything with the reason`() throws {
        let name = server.name("alice")
        let device = try server.connect()
        let epoch = try device.hello(token: server.token(name), device: "p")["epoch"] ?? .null
        let tasks = "users/\(name)/tasks"
        let path = JSONValue.string(tasks)
        let begun = try device.ok(["type": "watch", "path": path])
        let write = { (id: Int, n: Int64) in
            try device.ok([
                "type": "put", "path": .string("\(tasks)/\(id)"), "data": ["n": .integer(n)],
                "key": .string("\(id).\(n)"),
            ])
        }
        for id in 1...3 { _ = try write(id, 0) }
        #expect(begun["documents"] == [])
        try device.ok(["type": "unwatch", "path": path])
        let point = JSONValue.integer(device.seqs.last ?? 0)
        _ = try write(2, 1)
        _ = try write(2, 2)
        try device.ok(["type": "remove", "path": .string("\(tasks)/3"), "key": "gone"])
        let other = try server.device(name, "q")
        let changes = try other.ok(["type": "watch", "path": path, "since": ["epoch": epoch, "seq": point]])
        #expect(changes["reset"] == nil)
        let documents = changes["documents"]?.arrayValue ?? []
        #expect(documents.compactMap { $0["path"]?.stringValue } == ["\(tasks)/2", "\(tasks)/3"])
        #expect(documents.first?["data"] == ["n": 2])
        #expect(documents.last?["data"] == .null)
        _ = try write(1, 9)
        #expect(try other.event("document")["data"] == ["n": 9])
        for (since, reason) in [
            (["epoch": "e-other", "seq": point], "epoch"),
            (["epoch": epoch, "seq": 0], "retention"),
            (["epoch": epoch, "seq": 9_007_199_254_740_991], "epoch"),
        ] as [(JSONValue, JSONValue)] {
            let whole = try other.ok(["type": "watch", "path": path, "since": since])
            #expect(whole["reset"] == reason)
            #expect(whole["documents"]?.arrayValue?.count == 2)
        }
        for n in 0..<Int64(DocumentLimits.watchPageDocuments + 1) { _ = try write(5, n) }
        let far = try other.ok(["type": "watch", "path": path, "since": ["epoch": epoch, "seq": point]])
        #expect(far["reset"] == "too-far")
        #expect(far["documents"]?.arrayValue?.count == 3)
    }

    @Test func `a follower reads during the follow; the watch ends with the follow and says so`() throws {
        let id = server.name("s")
        let station = "stations/\(id)"
        let topic = JSONValue.string("station:\(id)")
        let admin = try server.admin()
        try put(admin, "\(station)/sensors/1", ["v": 1])
        let name = server.name("alice")
        let (device, other) = (try server.device(name, "a"), try server.device(name, "b"))
        let sensors = JSONValue.string("\(station)/sensors")
        #expect(try device.refused(["type": "watch", "path": sensors])["code"] == "not-found")
        #expect(try device.refused(["type": "get", "path": .string(station)])["code"] == "not-found")
        try device.ok(["type": "follow", "topic": topic])
        #expect(try device.ok(["type": "watch", "path": sensors])["documents"]?.arrayValue?.count == 1)
        try put(admin, "\(station)/sensors/1", ["v": 2])
        #expect(try device.event("document")["data"] == ["v": 2])
        try other.ok(["type": "unfollow", "topic": topic])
        let ended = try device.event("unwatched")
        #expect(ended["path"] == sensors)
        #expect(ended["reason"] == "not-found")
        try put(admin, "\(station)/sensors/1", ["v": 3])
        try device.settle()
        #expect(device.messages.count { $0["type"] == "document" } == 1)
        #expect(try device.refused(["type": "watch", "path": sensors])["code"] == "not-found")
    }

    @Test func `watches that new rules do not allow end, the others go on`() throws {
        let server = try TestServer {
            $0.rules = (try? AccessRules(["items/{id}": "public", "news/{id}": "public"])) ?? AccessRules()
        }
        defer { server.application.stop() }
        let admin = try server.admin()
        let device = try server.device("alice")
        for path: JSONValue in ["items", "items/1", "news"] { try device.ok(["type": "watch", "path": path]) }
        #expect(try admin.statistic("watches") == 3)
        let rules: JSONValue = ["rules": ["items/{id}": "server", "news/{id}": "public"]]
        #expect(try admin.call("PUT", "/v1/rules", rules).status == 200)
        var ended: Set<String> = []
        for _ in 0..<2 { ended.insert(try device.event("unwatched")["path"]?.stringValue ?? "") }
        #expect(ended == ["items", "items/1"])
        try put(admin, "items/1", ["a": 1])
        try put(admin, "news/1", ["a": 2])
        #expect(try device.event("document")["path"] == "news/1")
        #expect(try admin.statistic("watches") == 1)
        #expect(try admin.statistic("watches_revoked_total") == 2)
        device.peer.socket.close()
        while try admin.statistic("watches") != 0 {}
    }

    @Test func `a stream of Server-Sent Events watches what its address names`() throws {
        let name = server.name("alice")
        let device = try server.device(name, "writer")
        let tasks = "users/\(name)/tasks"
        let count = DocumentLimits.watchPageDocuments + 3
        let writes = (0..<count).map { n -> JSONValue in
            ["op": "put", "path": .string("\(tasks)/\(1000 + n)"), "data": ["n": .integer(Int64(n))]]
        }
        let admin = try server.admin()
        #expect(try admin.call("POST", "/v1/documents", ["writes": .array(writes)]).status == 200)
        let stream = try EventStreamPeer(
            server, "/v1/events?watch=users/somebody/tasks,\(tasks),\(tasks)/1001", token: server.token(name))
        var documents: [JSONValue] = []
        var answer: JSONValue
        repeat {
            answer = try stream.event("documents").json()
            #expect(answer["path"] == .string(tasks))
            documents += answer["documents"]?.arrayValue ?? []
        } while answer["next"] != nil
        #expect(documents.count == count)
        // The requested paths come one after the other, each with all its pages, also after a refused one.
        let ended = try #require(stream.events.first { $0.type == "unwatched" })
        #expect(try ended.json()["path"] == "users/somebody/tasks")
        let last = try stream.event("documents").json()
        #expect(last["path"] == .string("\(tasks)/1001"))
        try device.ok(["type": "put", "path": .string("\(tasks)/1000"), "data": ["n": -1], "key": "x"])
        let event = try stream.event("document")
        #expect(event.id != nil)
        #expect(try event.json()["data"] == ["n": -1])
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(name))
        let refused = try user.call("GET", "/v1/events?watch=a//b")
        #expect(refused.status == 400)
        #expect(try refused.json()["field"] == "watch")
    }

    @Test func `a session has a bounded number of watches`() throws {
        let device = try server.device(server.name("alice"))
        let prefix = server.name("w")
        for n in 0..<DocumentLimits.watchesMax {
            try device.ok(["type": "watch", "path": .string("items/\(prefix)-\(n)")])
        }
        let error = try device.refused(["type": "watch", "path": .string("items/\(prefix)-more")])
        #expect(error["code"] == "too-many")
        // Watching the same path again is not an additional watch.
        try device.ok(["type": "watch", "path": .string("items/\(prefix)-0")])
        try device.ok(["type": "unwatch", "path": .string("items/\(prefix)-0")])
        try device.ok(["type": "watch", "path": .string("items/\(prefix)-more")])
    }
}
