import Configuration
import JSON
import Server
import TestSupport
import Testing

/// The upgrade and the rules of the transport, on the socket.
struct WebSocketRulesTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `frames in the same packet as the upgrade are answered`() throws {
        let user = server.name("alice")
        let hello = Device.helloCommand(token: try server.token(user)).text
        let first = hello.dropLast() + #","id":1}"#
        let peer = try WebSocketPeer(
            port: server.port,
            firstFrames: WebSocketPeer.frame(String(first)) + WebSocketPeer.frame(#"{"id":2,"type":"ping"}"#)
        )
        let device = Device(peer)
        #expect(try device.reply(to: 1)["ok"]?["user"] == .string(user))
        #expect(try device.reply(to: 2)["ok"]?["time"] != nil)
    }

    @Test func `without an id there is no reply, unless the text cannot be read`() throws {
        let device = try server.device(server.name("alice"))
        let before = device.messages.count
        for text in [
            #"{"type":"ping"}"#, #"{"type":"send"}"#, #"{"type":"no such"}"#,
            #"{"type":"read","chat":"a:b","n":1}"#,
        ] {
            try device.peer.send(text)
        }
        try device.peer.send("not JSON")
        try device.ok(["type": "ping"])
        let answers = device.messages.dropFirst(before)
        #expect(answers.count == 2)
        #expect(answers.first?["re"]?.isNull == true)
        #expect(answers.first?["error"]?["code"] == "bad-request")
    }

    @Test func `a binary message closes with 1003`() throws {
        let device = try server.device(server.name("alice"))
        try device.peer.send(binary: [1, 2, 3])
        #expect(try device.waitForEnd() == .close(code: 1003, reason: "messages are JSON text"))
    }

    @Test(
        arguments: [
            (WebSocketPeer.frame(opcode: 3, []), 1002), (WebSocketPeer.frame(opcode: 1, [0xff, 0xfe]), 1007),
            ([0x81, 0x02, 0x41, 0x41], 1002), (WebSocketPeer.frame(opcode: 9, [UInt8](repeating: 1, count: 126)), 1002),
            (WebSocketPeer.frame(opcode: 1, [UInt8](repeating: 0x20, count: 131_073)), 1009),
        ] as [([UInt8], UInt16)]
    )
    func `breaking the protocol closes with the code of the RFC`(_ frame: [UInt8], _ code: UInt16) throws {
        let device = try server.device(server.name("alice"))
        try device.peer.socket.send(frame)
        guard case .close(code, _) = try device.waitForEnd() else {
            Issue.record("ended with \(String(describing: device.end))")
            return
        }
    }

    @Test func `a ping is answered with its payload, and a close with its code`() throws {
        let device = try server.device(server.name("alice"))
        try device.peer.sendPing([7, 8, 9])
        var message = try device.peer.next()
        while case .text = message { message = try device.peer.next() }
        #expect(message == .pong([7, 8, 9]))
        try device.peer.sendClose(1000)
        #expect(try device.waitForEnd() == .close(code: 1000, reason: ""))
    }

    @Test func `a message in fragments with a ping between them is one command`() throws {
        let device = try server.device(server.name("alice"))
        let text = Array(#"{"id":77,"type":"ping"}"#.utf8)
        try device.peer.socket.send(
            WebSocketPeer.frame(opcode: 1, Array(text[..<5]), isFinal: false) + WebSocketPeer.frame(opcode: 9, [])
                + WebSocketPeer.frame(opcode: 0, Array(text[5...]))
        )
        #expect(try device.reply(to: 77)["ok"]?["time"] != nil)
    }
}
