import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// `DELETE /v1/users/ID`: the sessions end, everything goes, and no byte of the name or of the texts is left in any file.
struct ErasureTests {
    private static func refusedHello(_ server: TestServer, _ token: String) throws -> JSONValue? {
        try server.connect().refused(Device.helloCommand(token: token))["code"]
    }

    /// Waits until an erasure is done.
    static func certificate(_ answer: HTTPPeer.Answer, _ admin: Admin) throws -> JSONValue {
        let id = try #require(try answer.json()["erasure"]?.stringValue)
        for _ in 0..<600 {
            let certificate = try admin.call("GET", "/v1/erasures/\(id)").json()
            if certificate["state"] == "done" { return certificate }
            Thread.pause(milliseconds: 50)
        }
        throw TCPSocket.Failure(description: "the erasure \(id) is not done")
    }

    /// The files of a folder that contain some bytes, with those around the first of them.
    static func files(in folder: String, containing text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            guard let found = content.range(of: wanted) else { return nil }
            let around = content[max(0, found.lowerBound - 60)..<min(content.count, found.upperBound + 60)]
            return "\(name): \(String(decoding: around.map { (0x20...0x7e).contains($0) ? $0 : 0x2e }, as: UTF8.self))"
        }
    }

    /// Two people with a chat, and rows of many kinds that name the first.
    private static func live(on server: TestServer, admin: Admin) throws -> Pair {
        let pair = try server.pair()
        let phone = pair.alicePhone
        for number in 2...60 {
            try phone.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string("secretword\(number) of alice"),
                "key": .string("m\(number)"),
            ])
        }
        try pair.bobPhone.ok(["type": "send", "chat": .string(pair.chat), "text": "words of bob", "key": "b1"])
        try phone.ok(["type": "edit", "chat": .string(pair.chat), "n": 2, "text": "secretword edited"])
        try phone.ok(["type": "react", "chat": .string(pair.chat), "n": 61, "emoji": "👍", "on": true])
        try phone.ok(["type": "read", "chat": .string(pair.chat), "n": 61])
        try phone.ok(["type": "preferences", "set": ["locale": "it", "timeZone": "Europe/Rome"]])
        try phone.ok(["type": "follow", "topic": "person:525"])
        try pair.bobPhone.ok(["type": "follow", "topic": .string("user:\(pair.alice)")])
        try phone.ok(["type": "block", "user": .string(server.name("mallory"))])
        let reporter = try server.device(server.name("reporter"))
        try reporter.ok(["type": "report", "user": .string(pair.alice), "reason": "reported"])
        try phone.ok([
            "type": "report", "user": .string(pair.bob), "chat": .string(pair.chat), "n": 61, "reason": "secretword r",
        ])
        try pair.bobPhone.ok([
            "type": "report", "user": .string(pair.alice), "chat": .string(pair.chat), "n": 60, "reason": "spam",
        ])
        #expect(
            try admin.call("PUT", "/v1/users/\(pair.alice)/restrictions", ["kind": "mute", "reason": "spam"])
                .status == 200)
        #expect(
            try admin.call("PUT", "/v1/documents/users/\(pair.alice)/tasks/1", ["title": "secretword"]).status == 200)
        #expect(
            try admin.call("PUT", "/v1/documents/users/\(pair.alice)/tasks/1", ["title": "secretword 2"]).status == 200)
        #expect(
            try admin.call(
                "POST", "/v1/broadcasts",
                ["audience": .string("user:\(pair.alice)"), "title": "secretword", "body": "x"]
            ).status == 202)
        try archive(by: phone, of: pair.alice, admin: admin)
        return pair
    }

    /// The person puts away one notification of a topic, and one of the inbox.
    private static func archive(by phone: Device, of name: String, admin: Admin) throws {
        for audience in ["person:525", "user:\(name)"] {
            // The words of a topic's are not the person's, and stay.
            let title: JSONValue = audience == "person:525" ? "away" : "secretword away"
            let order: JSONValue = ["audience": .string(audience), "title": title, "body": "x"]
            #expect(try admin.call("POST", "/v1/broadcasts", order).status == 202)
            let id = try phone.event("notification") { $0["title"] == title }["id"]
            try phone.ok(["type": "archive", "ids": [id ?? .null], "key": .string("away-\(audience)")])
        }
    }

    @Test func `everything of a person goes, others get each deletion, and no file has a byte of it`() throws {
        let folder = TemporaryFolder()
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let pair = try Self.live(on: server, admin: admin)
        let hello = try server.connect().hello(token: server.token(pair.bob), device: "away")
        let since: JSONValue = ["epoch": hello["epoch"] ?? .null, "seq": hello["seq"] ?? .null]
        let answer = try admin.call("DELETE", "/v1/users/\(pair.alice)", ["messages": "redact", "reason": "asked"])
        #expect(answer.status == 202)
        let pseudonym = try #require(try answer.json()["pseudonym"]?.stringValue)
        #expect(pseudonym.hasPrefix("~"))
        for device in [pair.alicePhone, pair.aliceLaptop] {
            while try device.read() != nil {}
            #expect(device.end == .close(code: 4403, reason: "erased"))
        }
        let again = try admin.call("DELETE", "/v1/users/\(pair.alice)", ["messages": "redact", "reason": "asked"])
        #expect(try again.status == 202 && again.json()["erasure"] == answer.json()["erasure"])
        let certificate = try Self.certificate(answer, admin)
        #expect(certificate["messages"] == "redact" && certificate["rows"]?["message"] == 60)
        #expect(certificate["kept"] == [])
        for kind in [
            "follow", "followed", "reaction", "read", "key", "block", "restriction", "document", "chat", "profile",
            "earlier text", "report", "notification", "archived",
        ] { #expect(certificate["rows"]?[kind]?.integerValue ?? 0 > 0, "\(kind): \(certificate.text)") }

        try Self.checkOthers(pair, pseudonym)
        // A device that was away.
        let back = try server.connect()
        try back.hello(token: server.token(pair.bob), device: "away", since: since)
        try back.event("live")
        #expect(back.messages.filter { $0["type"] == "message.deleted" }.count == 60)
        #expect(!back.texts.joined().contains(pair.alice) && !back.texts.joined().contains("secretword"))
        try Self.checkName(pair, pseudonym, on: server)
        for text in [pair.alice, "secretword"] {
            let found = try Self.files(in: folder.path, containing: text)
            #expect(found == [], "\(text)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/erasures")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    /// The devices of the other person, and the chat as it is now.
    private static func checkOthers(_ pair: Pair, _ pseudonym: String) throws {
        _ = try pair.bobPhone.ok(["type": "ping"])
        let all = pair.bobPhone.messages.filter { $0["type"] == "message.deleted" }
        #expect(all.count == 60)
        #expect(all.allSatisfy { $0["reason"] == "erased" && $0["chat"] == .string(pair.chat) && $0["user"] == nil })
        #expect(pair.bobPhone.messages.contains { $0["type"] == "unfollowed" })
        let renamed = try #require(pair.bobPhone.messages.first { $0["type"] == "chat.renamed" })
        let chat = try #require(renamed["to"]?.stringValue)
        #expect(renamed["chat"] == .string(pair.chat) && chat.contains(pseudonym))
        let listed = try pair.bobPhone.ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(listed.map { $0["chat"] } == [.string(chat)] && listed[0]["with"] == .string(pseudonym))
        let history = try pair.bobPhone.ok(["type": "history", "chat": .string(chat), "limit": 200])
        let messages = history["messages"]?.arrayValue ?? []
        #expect(messages.count == 61)
        for message in messages.dropLast() {
            #expect(message["from"] == .string(pseudonym) && message["deleted"] == true && message["text"] == nil)
            #expect(message["key"] == nil && message["product"] == nil && message["at"] != nil)
        }
        #expect(messages.last?["text"] == "words of bob" && messages.last?["reactions"] == nil)
        try pair.bobPhone.ok(["type": "send", "chat": .string(chat), "text": "after", "key": "b2"])
    }

    /// The name is refused everywhere, and stands nowhere.
    private static func checkName(_ pair: Pair, _ pseudonym: String, on server: TestServer) throws {
        let admin = try server.admin()
        #expect(try Self.refusedHello(server, server.token(pair.alice)) == "forbidden")
        let posted = Admin(try HTTPPeer(port: server.port), token: try server.token(pair.alice))
        let refused = try posted.call("POST", "/v1/commands", ["type": "chats"])
        #expect(refused.status == 403)
        #expect(try admin.call("GET", "/v1/users/\(pair.alice)/export").status == 404)
        #expect(
            try pair.bobPhone.refused(["type": "follow", "topic": .string("user:\(pair.alice)")])["code"] == "not-found"
        )
        let search = try pair.bobPhone.ok(["type": "search", "q": "secretword2"])
        #expect(search["messages"] == [])
        let rows = try admin.call("GET", "/v1/audit?limit=200").json()
        #expect(!rows.text.contains(pair.alice) && rows.text.contains("users/\(pseudonym)"))
    }

    @Test func `the actor stays in the audit when the person is erased`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let insider = Admin(
            try HTTPPeer(port: server.port), token: try server.token("insider", scopes: ["admin:data"]))
        #expect(try insider.call("PUT", "/v1/users/insider", [:]).status == 200)
        #expect(try insider.call("GET", "/v1/users/insider/export").status == 200)
        _ = try Self.certificate(try insider.call("DELETE", "/v1/users/insider", [:]), admin)
        let rows = try admin.call("GET", "/v1/audit").json()["audit"]?.arrayValue ?? []
        #expect(rows.map { $0["actor"] } == ["insider", "insider", "insider"])
        #expect(rows.allSatisfy { $0["target"]?.stringValue?.hasPrefix("users/~") == true }, "\(rows)")
    }

    @Test func `an invited person is somebody new, and tokens from before stay refused`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let pair = try server.pair()
        let old = try server.token(pair.alice, issuedMillisecondsAgo: 5000)
        _ = try Self.certificate(try admin.call("DELETE", "/v1/users/\(pair.alice)", ["messages": "keep"]), admin)
        Thread.pause(milliseconds: 1100)
        let invited = try admin.call("PUT", "/v1/users/\(pair.alice)", [:])
        #expect(invited.status == 200)
        #expect(try invited.json()["isNew"] == true)
        #expect(try Self.refusedHello(server, old) == "token-revoked")
        let new = try server.device(pair.alice, "phone")
        #expect(try new.ok(["type": "chats"])["chats"] == [])
        let again = try admin.call("PUT", "/v1/users/\(pair.alice)", [:])
        #expect(try again.json()["isNew"] == false)
    }

    @Test func `the pseudonym opens nothing, over either protocol, after a restart and on a restored database`() throws
    {
        let folder = TemporaryFolder()
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        let (pair, pseudonym): (Pair, String)
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let admin = try server.admin()
            pair = try server.pair()
            let answer = try admin.call("DELETE", "/v1/users/\(pair.alice)", ["messages": "keep"])
            pseudonym = try #require(try answer.json()["pseudonym"]?.stringValue)
            // From the first moment on.
            try Self.checkRefused(pseudonym, by: server)
            _ = try Self.certificate(answer, admin)
            try Self.checkRefused(pseudonym, by: server)
            let invited = try admin.call("PUT", "/v1/users/\(pseudonym)", [:])
            #expect(try invited.status == 400 && invited.json()["field"] == "user")
            let copy = try admin.call("GET", "/v1/backup")
            try Data(copy.body).write(to: URL(fileURLWithPath: place.path + "/copy.db"))
        }
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            try Self.checkRefused(pseudonym, by: server)
        }
        try Application.restore(place.path + "/copy.db", into: folder.path, replaces: true)
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        try Self.checkRefused(pseudonym, by: server)
        let chats = try server.device(pair.bob).ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(chats.map { $0["with"] } == [.string(pseudonym)], "the others go on in the chat")
    }

    /// A token with the pseudonym for its subject is not valid: it begins no session, reads and writes nothing, also with the scope of
    /// an administrator. Nobody follows the pseudonym.
    private static func checkRefused(_ pseudonym: String, by server: TestServer) throws {
        for isAdmin in [false, true] {
            let token = try server.token(pseudonym, isAdmin: isAdmin)
            #expect(try refusedHello(server, token) == "unauthenticated", "\(isAdmin)")
            let caller = Admin(try HTTPPeer(port: server.port), token: token)
            for command in [
                ["type": "chats"], ["type": "notifications"], ["type": "follow", "topic": "film:1", "key": "k"],
            ] as [JSONValue] {
                let answer = try caller.call("POST", "/v1/commands", command)
                #expect(answer.status == 401, "\(isAdmin): \(answer.text)")
            }
        }
        let reader = Admin(try HTTPPeer(port: server.port), token: try server.token(pseudonym))
        #expect(try reader.call("GET", "/v1/events").status == 401)
        #expect(try reader.call("GET", "/v1/documents/users/\(pseudonym)").status == 401)
    }

    @Test func `kept messages stay under the pseudonym, removed ones take an empty chat with them`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let kept = try server.pair()
        try kept.alicePhone.ok(["type": "send", "chat": .string(kept.chat), "text": "stays", "key": "k"])
        let answer = try admin.call("DELETE", "/v1/users/\(kept.alice)", ["messages": "keep"])
        let pseudonym = try #require(try answer.json()["pseudonym"]?.stringValue)
        _ = try Self.certificate(answer, admin)
        let chats = try kept.bobPhone.ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(
            chats.count == 1 && chats[0]["last"]?["text"] == "stays" && chats[0]["last"]?["from"] == .string(pseudonym))
        let removed = try server.pair()
        try removed.alicePhone.ok(["type": "send", "chat": .string(removed.chat), "text": "goes", "key": "k"])
        _ = try Self.certificate(try admin.call("DELETE", "/v1/users/\(removed.alice)", ["messages": "remove"]), admin)
        #expect(try removed.bobPhone.ok(["type": "chats"])["chats"] == [])
        #expect(try removed.bobPhone.ok(["type": "chats"])["chats"]?.arrayValue?.isEmpty == true)
    }

    @Test func `a person leaves rooms, and messages go there, too, also from rooms that were left before`() throws {
        let folder = TemporaryFolder()
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let pair = try server.pair()
        try pair.bobPhone.ok(["type": "follow", "topic": .string("user:\(pair.alice)")])
        func make(_ title: String) throws -> String {
            let made = try pair.alicePhone.ok([
                "type": "room.create", "title": .string(title), "members": [.string(pair.bob)],
            ])
            let chat = try #require(made["chat"]?.stringValue)
            try pair.alicePhone.ok(["type": "send", "chat": .string(chat), "text": "roomword", "key": .string(title)])
            try pair.bobPhone.ok(["type": "send", "chat": .string(chat), "text": "of bob", "key": .string(title)])
            try pair.alicePhone.ok(["type": "react", "chat": .string(chat), "n": 2, "emoji": "👍", "on": true])
            return chat
        }
        let (room, left) = (try make("standing"), try make("left"))
        try pair.alicePhone.ok(["type": "room.leave", "chat": .string(left)])
        let export = try admin.call("GET", "/v1/users/\(pair.alice)/export").text
        #expect(
            export.contains(#"{"kind":"room","chat":"\#(room)""#)
                && !export.contains(#"{"kind":"room","chat":"\#(left)""#))
        #expect(export.components(separatedBy: #""text":"roomword""#).count == 3)
        let answer = try admin.call("DELETE", "/v1/users/\(pair.alice)", ["messages": "redact"])
        let pseudonym = try #require(try answer.json()["pseudonym"]?.stringValue)
        let certificate = try Self.certificate(answer, admin)
        #expect(certificate["rows"]?["room"] == 1)
        _ = try pair.bobPhone.ok(["type": "ping"])
        #expect(
            pair.bobPhone.messages.filter { $0["type"] == "message.deleted" && $0["reason"] == "erased" }.count == 3)
        let changes = pair.bobPhone.messages.filter { $0["type"] == "room" && $0["chat"] == .string(room) }
        #expect(changes.contains { $0["change"] == "left" })
        #expect(changes.last?["change"] == "role", "the other one is owner now: \(changes.map(\.text))")
        for chat in [room, left] {
            let messages =
                try pair.bobPhone.ok(["type": "history", "chat": .string(chat)])["messages"]?.arrayValue ?? []
            #expect(messages.map { $0["from"] } == [.string(pseudonym), .string(pair.bob)], "\(chat)")
            #expect(messages.first?["deleted"] == true && messages.last?["text"] == "of bob")
        }
        #expect(try pair.bobPhone.ok(["type": "room.members", "chat": .string(room)])["count"] == 1)
        for text in [pair.alice, "roomword"] {
            let found = try Self.files(in: folder.path, containing: text)
            #expect(found == [], "\(text)")
        }
    }

    @Test func `a dry run counts and changes nothing; each wrong field is named; it is for the scope admin data`()
        throws
    {
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        let pair = try server.pair()
        let path = "/v1/users/\(pair.alice)"
        let counted = try admin.call("DELETE", path, ["messages": "redact", "dryRun": true])
        #expect(counted.status == 200)
        #expect(try counted.json()["rows"]?["message"] == 1)
        #expect(try counted.json()["dryRun"] == true)
        try pair.alicePhone.ok(["type": "ping"])
        for (field, body) in [
            ("messages", ["messages": "all"]), ("messages", ["messages": 1]), ("reason", ["reason": ""]),
            ("dryRun", ["dryRun": "yes"]), ("documents", ["documents": "reviews/*"]),
            ("documents", ["documents": ["*"]]),
            ("other", ["other": 1]),
        ] as [(String, JSONValue)] {
            let refused = try admin.call("DELETE", path, body)
            #expect(refused.status == 400)
            #expect(try refused.json()["field"] == .string(field), "\(refused.text)")
        }
        #expect(try admin.call("DELETE", "/v1/users/nobody-to-erase", [:]).status == 404)
        #expect(try admin.call("GET", "/v1/erasures/x999").status == 404)
        #expect(try admin.call("GET", "/v1/erasures/7").status == 404)
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(pair.alice))
        #expect(try user.call("DELETE", path, [:]).status == 403)
        #expect(try user.call("PUT", path, [:]).status == 403)
    }

    @Test func `an erasure goes on after a restart, and a restored older copy is erased again`() throws {
        let folder = TemporaryFolder()
        let place = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        let pair: Pair
        let answer: HTTPPeer.Answer
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let admin = try server.admin()
            pair = try Self.live(on: server, admin: admin)
            let copy = try admin.call("GET", "/v1/backup")
            try Data(copy.body).write(to: URL(fileURLWithPath: place.path + "/old.db"))
            answer = try admin.call("DELETE", "/v1/users/\(pair.alice)", [:])
        }
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            _ = try Self.certificate(answer, server.admin())
            #expect(try Self.refusedHello(server, server.token(pair.alice)) == "forbidden")
        }
        for text in [pair.alice, "secretword"] {
            let found = try Self.files(in: folder.path, containing: text)
            #expect(found == [], "\(text)")
        }
        try Application.restore(place.path + "/old.db", into: folder.path, replaces: true)
        for text in [pair.alice, "secretword"] {
            let found = try Self.files(in: folder.path, containing: text)
            #expect(found == [], "\(text)")
        }
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        #expect(try Self.refusedHello(server, server.token(pair.alice)) == "forbidden")
        #expect(try server.device(pair.bob).ok(["type": "chats"])["chats"]?.arrayValue?.count == 1)
    }

    @Test func `an older database that was put there by hand is erased again before anybody is served`() throws {
        let folder = TemporaryFolder()
        let pair: Pair
        var old: [UInt8] = []
        do {
            let server = try TestServer(in: folder) { _ in }
            defer { server.application.stop() }
            let admin = try server.admin()
            pair = try Self.live(on: server, admin: admin)
            old = try admin.call("GET", "/v1/backup").body
            _ = try Self.certificate(try admin.call("DELETE", "/v1/users/\(pair.alice)", [:]), admin)
        }
        let database = folder.path + "/watchwise.db"
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
        try Data(old).write(to: URL(fileURLWithPath: database))
        let server = try TestServer(in: folder) { _ in }
        defer { server.application.stop() }
        for text in [pair.alice, "secretword"] {
            let found = try Self.files(in: folder.path, containing: text)
            #expect(found == [], "\(text)")
        }
        #expect(try Self.refusedHello(server, server.token(pair.alice)) == "forbidden")
        let chats = try server.device(pair.bob).ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(chats.count == 1 && chats[0]["with"]?.stringValue?.hasPrefix("~") == true)
    }
}
