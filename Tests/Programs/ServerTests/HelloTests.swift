import ClientProtocol
import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// `hello` on a real connection: the accepted tokens, and the content of the answer.
struct HelloTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `hello is answered with every field of the contract, and live follows`() throws {
        let user = server.name("alice")
        let device = try server.connect()
        let ok = try device.ok([
            "type": "hello", "token": .string(try server.token(user)), "device": "phone-1", "locale": "it",
            "client": "ios/2.1",
        ])
        let names = ok.objectValue?.members.map(\.name)
        #expect(
            names == ["user", "device", "session", "epoch", "seq", "heartbeat", "limits", "unread", "server", "time"])
        #expect(ok["session"]?.stringValue?.isEmpty == false)
        #expect(ok["user"] == .string(user))
        #expect(ok["device"] == "phone-1")
        #expect(ok["heartbeat"] == 25_000)
        #expect(ok["limits"] == ["messageBytes": 131_072, "commandsPerSecond": 1000, "follows": 5000])
        #expect(ok["unread"] == ["chats": 0, "notifications": 0])
        #expect(ok["server"]?.stringValue?.hasPrefix("watchwise/") == true)
        let live = try device.event("live")
        #expect(live == ["type": "live", "seq": ok["seq"] ?? .null])
    }

    @Test func `a device without a name is given one of its own`() throws {
        let user = server.name("alice")
        let names = try (0..<2).map { _ in
            let session = try server.connect()
            return try session.hello(token: server.token(user))["device"]?.stringValue
        }
        #expect(names.allSatisfy { $0?.isEmpty == false })
        #expect(names[0] != names[1])
    }

    @Test func `a token in the upgrade's header is enough`() throws {
        let user = server.name("alice")
        let device = try server.connect(headers: [("Authorization", "Bearer \(try server.token(user))")])
        #expect(try device.hello(token: nil)["user"] == .string(user))
    }

    @Test func `a token in hello goes before the one in the header`() throws {
        let user = server.name("alice")
        let other = try server.token(server.name("eve"))
        let device = try server.connect(headers: [("Authorization", "Bearer \(other)")])
        #expect(try device.hello(token: server.token(user))["user"] == .string(user))
    }

    @Test func `a wrong token in the upgrade's header is refused with 401 before the upgrade`() throws {
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", [("Authorization", "Bearer nonsense")]))
        let answer = try peer.answer()
        #expect(answer.status == 401)
        #expect(answer.headers["www-authenticate"] == "Bearer")
        #expect(try answer.json()["class"] == "auth")
    }

    @Test(arguments: ["nonsense", "a.b.c", ""])
    func `a malformed token is refused and the connection stays open`(_ token: String) throws {
        let device = try server.connect()
        let error = try device.refused(Device.helloCommand(token: token))
        #expect(error["field"] == "token")
        #expect(["unauthenticated", "bad-request"].contains(error["code"]?.stringValue))
        try device.hello(token: server.token(server.name("alice")))
    }

    @Test func `a token signed with another secret is refused as unauthenticated`() throws {
        let other = try TestServer { _ in }
        defer { other.application.stop() }
        let device = try server.connect()
        let error = try device.refused(Device.helloCommand(token: other.token("alice")))
        #expect(error["code"] == "unauthenticated")
        #expect(error["class"] == "auth")
    }

    @Test func `an expired token is refused as token-expired`() throws {
        let device = try server.connect()
        let error = try device.refused(
            Device.helloCommand(token: server.token("alice", validMilliseconds: -1000))
        )
        #expect(error["code"] == "token-expired")
        #expect(error["class"] == "auth")
        #expect(error["field"] == "token")
    }

    @Test func `hello without any token is refused as unauthenticated`() throws {
        let device = try server.connect()
        #expect(try device.refused(["type": "hello"])["code"] == "unauthenticated")
    }

    @Test(
        arguments: [
            ["type": "send", "to": "bob", "text": "x", "key": "k"], ["type": "chats"], ["type": "ping"],
            ["type": "ack", "seq": 1], ["type": "presence", "watch": []],
        ] as [JSONValue]
    )
    func `a command before hello is refused as unauthenticated`(_ command: JSONValue) throws {
        let device = try server.connect()
        let error = try device.refused(command)
        #expect(error["code"] == "unauthenticated")
        #expect(error["class"] == "auth")
        try device.hello(token: server.token(server.name("alice")))
    }

    @Test func `a second hello renews the token and answers again`() throws {
        let user = server.name("alice")
        let device = try server.device(user, "phone")
        let ok = try device.hello(token: server.token(user), device: "phone")
        #expect(ok["user"] == .string(user))
        #expect(ok["device"] == "phone")
        try device.settle()
    }

    @Test func `another user's token cannot take a connection over`() throws {
        let device = try server.device(server.name("alice"))
        let error = try device.refused(Device.helloCommand(token: server.token(server.name("bob"))))
        #expect(error["code"] == "forbidden")
        #expect(error["field"] == "token")
        try device.settle()
    }

    @Test func `an id is given back as it was sent, and without an id there is no reply`() throws {
        let device = try server.device(server.name("alice"))
        try device.peer.send(#"{"type":"ping"}"#)
        try device.peer.send(#"{"id":"a\u0041é","type":"ping"}"#)
        try device.peer.send(#"{"id":1.50,"type":"ping"}"#)
        try device.peer.send(#"{"type":"read","chat":"eve:mallory","n":1}"#)
        try device.settle()
        let replies = device.texts.filter { $0.contains(#"{"time""#) }
        #expect(replies.count == 3)
        #expect(replies[0].hasPrefix(#"{"re":"a\u0041é","#) || replies[0].hasPrefix(#"{"re":"aAé","#))
        #expect(replies[1].hasPrefix(#"{"re":1.50,"#))
        #expect(!device.texts.contains { $0.contains("forbidden") })
    }

    @Test func `a newer connection of the same device replaces the older with 4409`() throws {
        let user = server.name("alice")
        for _ in 0..<8 {
            let older = try server.device(user, "phone")
            let newer = try server.device(user, "phone")
            #expect(try older.waitForEnd() == .close(code: 4409, reason: "replaced"))
            try newer.settle()
            newer.peer.socket.close()
        }
    }

    @Test func `the later connection of a device stays, whichever of the two says hello first`() throws {
        let user = server.name("alice")
        let token = try server.token(user)
        for _ in 0..<8 {
            let older = try server.connect()
            let newer = try server.connect()
            _ = try newer.hello(token: token, device: "phone")
            try older.post(Device.helloCommand(token: token, device: "phone"))
            #expect(try older.waitForEnd() == .close(code: 4409, reason: "replaced"))
            try newer.settle()
            newer.peer.socket.close()
        }
    }

    @Test func `another device, and a connection without one, stay`() throws {
        let user = server.name("alice")
        let phone = try server.device(user, "phone")
        let nameless = try server.device(user)
        _ = try server.device(user, "laptop")
        _ = try server.device(user)
        try phone.settle()
        try nameless.settle()
    }
}

/// The same with limits so short that a test can wait for them.
struct HelloTimeTests {
    @Test func `no hello in time closes with 4408`() throws {
        let server = try TestServer { $0.helloMilliseconds = 100 }
        defer { server.application.stop() }
        let silent = try server.connect()
        let chatty = try server.connect()
        _ = try chatty.refused(["type": "ping"])
        #expect(try silent.waitForEnd() == .close(code: 4408, reason: "no hello"))
        #expect(try chatty.waitForEnd() == .close(code: 4408, reason: "no hello"))
    }

    @Test func `a client gets a warning before its token expires, and a fresh token keeps the connection`() throws {
        let server = try TestServer.shared.get()
        let user = server.name("alice")
        let device = try server.connect()
        try device.hello(token: server.token(user, validMilliseconds: 3000))
        let expiring = try device.event("expiring")
        #expect(expiring["at"]?.stringValue?.hasSuffix("Z") == true)
        try device.hello(token: server.token(user))
        Thread.pause(milliseconds: 3500)
        try device.settle()
    }

    @Test func `an open connection ends with its token, 4401`() throws {
        let server = try TestServer.shared.get()
        let device = try server.connect()
        try device.hello(token: server.token(server.name("alice"), validMilliseconds: 4000))
        #expect(try device.waitForEnd() == .close(code: 4401, reason: "unauthenticated"))
    }
}
