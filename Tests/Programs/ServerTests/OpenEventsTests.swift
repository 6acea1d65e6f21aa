import Configuration
import Execution
import JSON
import Model
import Server
import TestSupport
import Testing

/// `GET /v1/events` without a token: only documents that the rules open to anyone.
struct OpenEventsTests {
    private static let rules: JSONObject = [
        "matches/{id}": "anyone", "teams/{id}": "anyone", "leagues/{id}": "anyone", "notes/{id}": "public",
    ]
    private static let server = Result { try start() }
    private let server: TestServer

    init() throws { server = try Self.server.get() }

    private static func start(_ more: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer {
            $0.rules = (try? AccessRules(rules)) ?? AccessRules()
            more(&$0)
        }
    }

    private func put(_ path: String, _ data: JSONValue) throws {
        #expect(try server.admin().call("PUT", "/v1/documents/\(path)", data).status == 200)
    }

    private func open(_ paths: String, since: String? = nil) throws -> EventStreamPeer {
        let headers = since.map { [("Last-Event-ID", $0)] } ?? []
        return try EventStreamPeer(server, "/v1/events?watch=\(paths)&inbox=off", token: nil, headers: headers)
    }

    @Test func `a client without a token gets what it watches, then every change in order, and nothing else`() throws {
        let (a, b) = (server.name("matches/a"), server.name("teams/b"))
        try put(a, ["score": "0:0"])
        let stream = try open("\(a),\(b)")
        #expect(try stream.event("documents").json()["documents"]?.arrayValue?.first?["data"] == ["score": "0:0"])
        #expect(try stream.event("documents").json()["documents"] == [])
        #expect(try stream.event("live").id != nil)
        let sent = try server.admin().call(
            "POST", "/v1/broadcasts", ["audience": "everyone", "title": "All", "body": "b"])
        #expect(sent.status == 202)
        for n in 1...3 {
            try put(a, ["score": .string("\(n):0")])
            try put(b, ["n": .integer(Int64(n))])
            try put(server.name("matches/other"), ["n": 1])
        }
        for n in 1...3 {
            let match = try stream.event("document").json()
            #expect(match["path"] == .string(a))
            #expect(match["data"] == ["score": .string("\(n):0")])
            #expect(try stream.event("document").json()["path"] == .string(b))
        }
        #expect(Set(stream.events.compactMap(\.type)).isSubset(of: ["documents", "live", "document", "beat"]))
        #expect(stream.seqs == stream.seqs.sorted())
        #expect(try server.admin().statistic("sessions") == 0, "no user is there")
    }

    @Test func `a client that comes back with the id of an event gets all changes since, even deletions`() throws {
        // Only this test writes into it: the server is shared.
        let collection = "leagues"
        let (kept, changed, gone) = (server.name("kept"), server.name("changed"), server.name("gone"))
        for id in [kept, changed, gone] { try put("\(collection)/\(id)", ["n": 0]) }
        let stream = try open(collection)
        #expect(try stream.event("documents").id == nil, "who has not all yet must not come back as though he had")
        let live = try #require(try stream.event("live").id)
        stream.close()
        try put("\(collection)/\(changed)", ["n": 1])
        #expect(try server.admin().call("DELETE", "/v1/documents/\(collection)/\(gone)").status == 200)
        let again = try open(collection, since: live)
        let told = try again.event("documents").json()
        #expect(told["reset"] == nil)
        let documents = told["documents"]?.arrayValue ?? []
        let data = Dictionary(
            documents.map { ($0["path"]?.stringValue ?? "", $0["data"] ?? .null) }, uniquingKeysWith: { $1 })
        #expect(data["\(collection)/\(changed)"] == ["n": 1])
        #expect(data["\(collection)/\(gone)"] == .null)
        #expect(data["\(collection)/\(kept)"] == nil)
        try put("\(collection)/\(kept)", ["n": 2])
        #expect(try again.event("document").json()["path"] == .string("\(collection)/\(kept)"))
        let other = try open(collection, since: "e-0000000000000000.1")
        #expect(try other.event("documents").json()["reset"] == "epoch")
    }

    @Test func `a wrong question without a token is refused with the name of its fault`() throws {
        let many = (0...DocumentLimits.openWatchesMax).map { "matches/\($0)" }.joined(separator: ",")
        let token = try server.token("alice")
        for (query, bearer, status, field) in [
            ("watch=matches/1", nil, 401, "inbox"), ("", nil, 401, "inbox"),
            ("watch=notes/1&inbox=off", nil, 401, "watch"), ("watch=matches/1,notes&inbox=off", nil, 401, "watch"),
            ("watch=chats/a:b/messages&inbox=off", nil, 401, "watch"), ("inbox=off", nil, 400, "watch"),
            ("watch=matches&inbox=no", nil, 400, "inbox"), ("watch=\(many)&inbox=off", nil, 429, "watch"),
            ("watch=matches&inbox=off", token, 400, "inbox"),
        ] as [(String, String?, Int, String)] {
            let peer = try HTTPPeer(port: server.port)
            let headers = bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
            let answer = try peer.request("GET", "/v1/events?\(query)", headers: headers)
            #expect(answer.status == status, "\(query)")
            #expect(try answer.json()["field"] == .string(field), "\(query)")
        }
    }

    @Test func `a stream without a token ends when new rules close what it watches`() throws {
        let server = try Self.start()
        defer { server.application.stop() }
        let stream = try EventStreamPeer(server, "/v1/events?watch=matches,teams&inbox=off", token: nil)
        try stream.event("live")
        let admin = try server.admin()
        func put(_ rules: JSONValue) throws {
            #expect(try admin.call("PUT", "/v1/rules", ["rules": rules]).status == 200)
        }
        try put(["matches/{id}": "public", "teams/{id}": "anyone"])
        #expect(try stream.event("unwatched").json()["path"] == "matches")
        #expect(try admin.call("PUT", "/v1/documents/teams/1", ["n": 1]).status == 200)
        #expect(try stream.event("document").json()["path"] == "teams/1")
        try put([:])
        #expect(try stream.event("unwatched").json()["path"] == "teams")
        #expect(try stream.event("bye").json()["code"] == 4401)
        #expect(try stream.next() == nil)
    }

    @Test func `streams without a token count for their network as long as they last`() throws {
        let server = try Self.start { $0.connectionsPerAddress = 3 }
        defer { server.application.stop() }
        func ask() throws -> EventStreamPeer {
            try EventStreamPeer(server, "/v1/events?watch=matches&inbox=off", token: nil)
        }
        let held = try (0..<3).map { _ in try ask() }
        for stream in held { try stream.event("live") }
        #expect(try ask().head.contains("429"))
        held[0].close()
        var isLetIn = false
        for _ in 0..<100 where !isLetIn { isLetIn = try ask().head.contains("200") }
        #expect(isLetIn)
    }
}
