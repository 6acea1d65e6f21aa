import Foundation
import JSON
import TestSupport
import Testing

/// The command line over TLS, and the commands that lock somebody out.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct AccessTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    private func run(_ arguments: [String]) throws -> ServerProcess.Ended { try ServerProcess.run(arguments) }

    private func json(_ arguments: [String]) throws -> JSONValue {
        let ended = try run(arguments + ["--json"])
        guard ended.status == 0 else { throw TCPSocket.Failure(description: ended.errors) }
        return try JSONValue(parsing: Array(ended.output.utf8))
    }

    private func hello(_ token: String, port: UInt16) throws -> (peer: WebSocketPeer, answer: String) {
        let peer = try WebSocketPeer(port: port)
        try peer.send(#"{"id":1,"type":"hello","token":"\#(token)"}"#)
        while true {
            if case .text(let text) = try peer.next(), text.contains(#""re":1"#) { return (peer, text) }
        }
    }

    private func end(_ peer: WebSocketPeer) throws -> WebSocketPeer.Message {
        while true {
            switch try peer.next() {
            case .text, .ping, .pong, .binary: continue
            case let end: return end
            }
        }
    }

    @Test func `the secret turns: SIGHUP takes the new one, and drops the old one when it is over`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        let old = try run(["token", "alice", "--data", data]).output.trimmingCharacters(in: .newlines)
        let (peer, answer) = try hello(old, port: server.port)
        #expect(answer.contains(#""ok""#))
        #expect(try json(["secret", "rotate", "--data", data])["accepted"] == 2)
        let new = try run(["token", "alice", "--data", data]).output.trimmingCharacters(in: .newlines)
        server.signal(SIGHUP)
        /// The status of the server's answer to a token, once it is this.
        func settles(_ token: String, _ text: String) throws -> Bool {
            for _ in 0..<500 {
                if try hello(token, port: server.port).answer.contains(text) { return true }
                Thread.sleep(forTimeInterval: 0.01)
            }
            return false
        }
        #expect(try settles(new, #""ok""#) && settles(old, #""ok""#))
        #expect(try run(["secret", "rotate", "--end", "--data", data]).output.contains("SIGHUP"))
        server.signal(SIGHUP)
        #expect(try settles(old, "unauthenticated") && settles(new, #""ok""#))
        // No connection was ended by it.
        try peer.send(#"{"id":9,"type":"ping"}"#)
        #expect(try run(["stats"] + there).status == 0)
        #expect(try run(["secret", "rotate", "--data", folder.path + "/none"]).status == 1)
    }

    @Test func `tokens bear scopes, and the audit tells what was done with them`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)"]
        let shop = try run(["token", "shop", "--scope", "admin:read", "--scope", "admin:publish", "--data", data])
        let token = ["--token", shop.output.trimmingCharacters(in: .newlines)]
        #expect(try run(["put", "notes/1", "{}"] + there + token).status == 0)
        let refused = try run(["kick", "mallory"] + there + token)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("lacks the scope admin:operate"), "\(refused.errors)")
        let rows = try json(["audit", "--actor", "shop"] + there + token)["audit"]?.arrayValue ?? []
        #expect(rows.map { $0["outcome"] } == ["forbidden", "ok"])
        #expect(rows.map { $0["target"] } == ["users/mallory", "documents/notes/1"])
        #expect(try run(["audit", "--action", "document.put"] + there + token).output.contains("documents/notes/1"))
        let slip = try run(["token", "shop", "--scope", "admin:publsh", "--data", data])
        #expect(slip.status == 2 && slip.errors.contains("did you mean admin:publish?"), "\(slip.errors)")
        let (_, program) = try hello(shop.output.trimmingCharacters(in: .newlines), port: server.port)
        #expect(program.contains(#""code":"forbidden""#), "\(program)")
        let both = try run(["token", "shop", "--scope", "admin:read", "--scope", "user", "--data", data])
        let (_, person) = try hello(both.output.trimmingCharacters(in: .newlines), port: server.port)
        #expect(person.contains(#""user":"shop""#), "\(person)")
    }

    @Test func `the command line revokes a token by its name, lists it and lifts the revocation`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        let made = try json(["token", "alice", "--data", data])
        let token = try #require(made["token"]?.stringValue)
        let jti = try #require(made["jti"]?.stringValue)
        #expect(made["user"] == "alice")
        let plain = try run(["token", "alice", "--data", data]).output
        #expect(plain.hasSuffix("\n") && plain.split(separator: ".").count == 3)
        let (peer, answer) = try hello(token, port: server.port)
        #expect(answer.contains(#""ok""#))
        let revoked = try run(["revoke", jti, "--until", "24h", "--reason", "lost"] + there)
        #expect(revoked.status == 0, "\(revoked.errors)")
        #expect(revoked.output.contains("undo: watchwise unrevoke 1"))
        #expect(try end(peer) == .close(code: 4401, reason: "token revoked"))
        #expect(try hello(token, port: server.port).answer.contains("token-revoked"))
        let list = try run(["revocations"] + there)
        #expect(list.output.contains(jti) && list.output.contains("operator") && list.output.contains("lost"))
        #expect(try run(["unrevoke", "1"] + there).status == 0)
        #expect(try run(["unrevoke", "1"] + there).status == 1)
        #expect(try hello(token, port: server.port).answer.contains(#""ok""#))
        #expect(try json(["revoke", token] + there)["jti"] == .string(jti))
        #expect(try json(["revoke", "--user", "alice"] + there)["user"] == "alice")
        #expect(try run(["revoke"] + there).status == 2)
        #expect(try run(["revoke", "a", "--user", "b"] + there).status == 2)
    }

    @Test func `the command line lists rooms, and shows who is in one`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        #expect(try run(["rooms"] + there).errors.contains("no rooms"))
        let (bob, _) = try hello(try ServerProcess.token("bob", data: data), port: server.port)
        try bob.send(#"{"id":2,"type":"preferences","set":{"invites":"all"}}"#)
        while case .text(let text) = try bob.next(), !text.contains(#""re":2"#) {}
        let (peer, _) = try hello(try ServerProcess.token("alice", data: data), port: server.port)
        try peer.send(#"{"id":2,"type":"room.create","title":"Films","members":["bob"],"key":"r"}"#)
        var room: String?
        while room == nil {
            guard case .text(let text) = try peer.next() else { continue }
            room = try JSONValue(parsing: Array(text.utf8))["ok"]?["chat"]?.stringValue
        }
        let chat = try #require(room)
        let list = try run(["rooms"] + there).output
        #expect(list.contains(chat) && list.contains("Films") && list.contains("MEMBERS"))
        #expect(try json(["rooms", "list"] + there)["rooms"]?.arrayValue?.count == 1)
        let shown = try run(["rooms", "show", chat] + there).output
        #expect(shown.contains("alice") && shown.contains("owner") && shown.contains("bob"))
        let id = String(chat.dropFirst("room:".count))
        #expect(try json(["rooms", "show", id] + there)["people"]?.arrayValue?.count == 2)
        #expect(try run(["rooms", "show", "room:none"] + there).status == 1)
        #expect(try run(["rooms", "--limit", "0"] + there).status == 2)
    }

    @Test func `the audit has the person who ran the command, and somebody who left is shut out`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        let (peer, _) = try hello(try ServerProcess.token("zoe", data: data), port: server.port)
        let closed = try run(["user", "deactivate", "zoe", "--reason", "left", "--as", "ada"] + there)
        #expect(closed.output.contains("zoe is deactivated; registrations that ended: 0, scheduled texts: 0"))
        #expect(try end(peer) == .close(code: 4403, reason: "deactivated"))
        #expect(try run(["user", "show", "zoe"] + there).output.contains("undo: watchwise user reactivate zoe"))
        #expect(try run(["user", "reactivate", "zoe"] + there).output == "zoe may come in again\n")
        #expect(try run(["user", "reactivate", "zoe", "--as", "a b"] + there).status == 2)
        let rows = try json(["audit"] + there)["audit"]?.arrayValue ?? []
        let login = ProcessInfo.processInfo.environment["SUDO_USER"] ?? NSUserName()
        #expect(rows.map { $0["actor"]?.stringValue } == [login, "ada"])
        #expect(rows.allSatisfy { $0["kind"] == "command line" })
        #expect(try run(["audit", "--actor", "ada"] + there).output.contains("command line"))
    }

    @Test func `the command line kicks a user`() throws {
        let server = try ServerProcess(data: data)
        let there = ["--server", "http://127.0.0.1:\(server.port)", "--data", data]
        let token = try ServerProcess.token("mallory", data: data)
        let (peer, _) = try hello(token, port: server.port)
        #expect(try run(["kick", "mallory", "--reason", "spam", "--revoke"] + there).output.contains("mallory kicked"))
        #expect(try end(peer) == .close(code: 4403, reason: "spam"))
        #expect(try hello(token, port: server.port).answer.contains("token-revoked"))
        #expect(try run(["user", "show", "mallory"] + there).output == "mallory is not restricted\n")
        let ban = ["user", "restrict", "mallory", "--ban", "--until", "24h", "--reason", "threats"]
        #expect(try run(ban + there).output.contains("mallory is banned until 20"))
        #expect(try run(["user", "show", "mallory"] + there).output.contains("threats"))
        // A token of the second in which tokens were revoked is revoked as well.
        Thread.sleep(forTimeInterval: 1.1)
        let fresh = try ServerProcess.token("mallory", data: data)
        let refused = try hello(fresh, port: server.port).answer
        #expect(refused.contains("forbidden") && refused.contains("threats") && refused.contains("retryAfterMs"))
        #expect(try run(["user", "restrict", "mallory", "--end"] + there).output == "mallory: ban ended\n")
        #expect(try run(["user", "restrict", "mallory", "--end"] + there).output == "mallory was not restricted\n")
        for misused in [
            ["--ban"], ["--mute", "--ban", "--reason", "r"], ["--reason", "r"], ["--end", "--reason", "r"],
        ] {
            #expect(try run(["user", "restrict", "mallory"] + misused + there).status == 2, "\(misused)")
        }
        let limits = try run(["user", "limits", "mallory", "send=5/1m", "--json"] + there).output
        #expect(limits.contains(#""limits":{"send":"5/1m"}"#))
        #expect(try run(["user", "limits", "mallory", "sing=5/1m"] + there).errors.contains("sing is not one of"))
        #expect(try run(["user", "limits", "mallory", "--default"] + there).output.contains("configured limits"))
        #expect(try run(["user", "limits", "mallory"] + there).status == 2)
        #expect(try run(["reports"] + there).errors.contains("There are no such reports"))
        #expect(try run(["reports", "show", "r1"] + there).errors.contains("not-found"))
        #expect(try run(["reports", "decide", "r1", "warn", "--statement", "s"] + there).errors.contains("not-found"))
        #expect(try run(["kick", "nobody"] + there).errors.contains("not-found"))
        #expect(try run(["kick", "no body"] + there).status == 2)
    }

    @Test(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
    func `the command line reaches a server over TLS, and says what to do when it cannot`() throws {
        let certificates = try #require(Certificates.made)
        let server = try ServerProcess(
            data: data,
            arguments: [
                "--listen", "127.0.0.1:0", "--tls-certificate", certificates.certificate("ec"), "--tls-key",
                certificates.key("ec"),
            ])
        let stats = { (url: String, ca: String?) in
            try run(["stats", "--data", data, "--server", "\(url):\(server.port)"] + (ca.map { ["--ca", $0] } ?? []))
        }
        let authority = certificates.authority
        #expect(try stats("https://localhost", authority).status == 0)
        #expect(try stats("https://127.0.0.1", authority).status == 0)
        let unknown = try stats("https://localhost", nil)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("--ca FILE or WATCHWISE_CA"))
        let other = try stats("https://127.0.0.1", certificates.certificate("stranger"))
        #expect(other.status == 1)
        #expect(try stats("http://127.0.0.1", nil).errors.contains("its address is https://"))
        let missing = try stats("https://localhost", "/nowhere.pem")
        #expect(missing.status == 2)
        #expect(missing.errors.contains("--ca: ") && missing.errors.contains("/nowhere.pem"))
    }
}
