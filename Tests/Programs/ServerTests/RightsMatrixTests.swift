import ClientProtocol
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// The rights of people: every command of the contract, asked by each kind of person over a socket.
struct RightsMatrixTests {
    /// The kinds of people who ask.
    ///
    /// - Confinement: any
    enum Role: CaseIterable {
        /// Neither in the room nor in a chat with the other person.
        case stranger
        case member, moderator, owner
        /// A member whom the room's owner blocks.
        case blocked
        /// A member whom the server's moderators have muted.
        case restricted
    }

    /// A command, and its answer for each role in their order: `ok` or the code of the error.
    ///
    /// - Confinement: any
    struct Row: Sendable, CustomTestStringConvertible {
        let answers: [String]
        let command: @Sendable (Scene) -> JSONObject
        let name: String

        init(_ name: String, _ answers: String, _ command: @escaping @Sendable (Scene) -> JSONObject) {
            self.name = name
            self.answers = answers.split(separator: " ").map { Self.words[String($0)] ?? String($0) }
            self.command = command
        }

        private static let words = ["F": "forbidden", "B": "blocked"]

        var type: String { String(name.prefix { $0 != " " }) }
        var testDescription: String { name }
    }

    /// A room with an owner, a member, and the person who asks; and the chat of two.
    struct Scene {
        let owner: String
        let victim: String
        let actor: String
        /// The other person of the pair.
        let other: String
        let room: String
        let device: Device
        let token: String

        var pair: String {
            [actor, other].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined(separator: ":")
        }

        init(_ role: Role, on server: TestServer, _ admin: Admin) throws {
            owner = server.name("owner")
            victim = server.name("victim")
            actor = role == .owner ? owner : server.name("actor")
            other = role == .owner ? victim : owner
            token = try server.token(actor)
            let ownerDevice = try server.device(owner, "phone")
            device = role == .owner ? ownerDevice : try server.device(actor, "phone")
            let members = role == .stranger || role == .owner ? [victim] : [victim, actor]
            for name in members {
                let member = name == actor ? device : try server.device(name, "tablet")
                try member.ok(["type": "follow", "topic": .string("user:\(owner)")])
            }
            room = try #require(
                try ownerDevice.ok([
                    "type": "room.create", "title": "Films", "members": .array(members.map { .string($0) }),
                ])["chat"]?.stringValue)
            try ownerDevice.ok(["type": "send", "chat": .string(room), "text": "hello", "key": "m1"])
            if role != .stranger {
                try device.ok(["type": "follow", "topic": .string("user:\(other)")])
                try device.ok(["type": "send", "to": .string(other), "text": "hi", "key": "p1"])
                try device.ok(["type": "unfollow", "topic": .string("user:\(other)")])
            }
            switch role {
            case .moderator:
                try ownerDevice.ok([
                    "type": "room.role", "chat": .string(room), "user": .string(actor), "role": "moderator",
                ])
            case .blocked: try ownerDevice.ok(["type": "block", "user": .string(actor)])
            case .restricted:
                let put = try admin.call(
                    "PUT", "/v1/users/\(actor)/restrictions", ["kind": "mute", "reason": "spam", "until": .null])
                try #require(put.status == 200)
            case .stranger, .member, .owner: break
            }
        }

        func inRoom(_ more: JSONObject = [:]) -> JSONObject {
            var command: JSONObject = ["chat": .string(room)]
            for (name, value) in more.members { command[name] = value }
            return command
        }
    }

    private static let until: JSONValue = "2056-11-23T11:06:59Z"

    // The columns: stranger, member, moderator, owner, blocked, restricted.
    static let rows: [Row] = inRooms + ofRooms + inPairs + ofOneself

    private static let inRooms = [
        Row("send", "F ok ok ok ok F") { $0.inRoom(["text": "x", "key": "k"]) },
        Row("edit of another's", "F F F ok F F") { $0.inRoom(["n": 1, "text": "x"]) },
        Row("delete of another's", "F F ok ok F F") { $0.inRoom(["n": 1]) },
        Row("react", "F ok ok ok ok F") { $0.inRoom(["n": 1, "emoji": "👍", "on": true]) },
        Row("read", "F ok ok ok ok ok") { $0.inRoom(["n": 1]) },
        Row("archive", "F ok ok ok ok ok") { $0.inRoom(["on": true]) },
        Row("typing", "F ok ok ok ok F") { $0.inRoom(["on": true]) },
        Row("history", "F ok ok ok ok ok") { $0.inRoom() },
        Row("search in the room", "F ok ok ok ok ok") { $0.inRoom(["q": "hello"]) },
        Row("get of the message", "not-found ok ok ok ok ok") { ["path": .string("chats/\($0.room)/messages/1")] },
        Row("report", "F ok ok bad-request ok ok") {
            $0.inRoom(["user": .string($0.owner), "n": 1, "category": "spam"])
        },
    ]

    private static let ofRooms = [
        Row("room.create", "ok ok ok ok ok F") { _ in ["title": "Series", "members": []] },
        Row("room.update title", "F F ok ok F F") { $0.inRoom(["title": "Series"]) },
        Row("room.update open", "F F F ok F F") { $0.inRoom(["open": true]) },
        Row("room.invite", "F F ok ok F F") { $0.inRoom(["members": [.string($0.owner + "x")]]) },
        Row("room.invitations", "ok ok ok ok ok ok") { _ in [:] },
        Row("room.accept", "F ok ok ok ok ok") { $0.inRoom() },
        Row("room.decline", "F F F F F F") { $0.inRoom() },
        Row("room.join", "F ok ok ok ok ok") { $0.inRoom() },
        Row("room.leave", "F ok ok ok ok ok") { $0.inRoom() },
        Row("room.remove", "F F ok ok F F") { $0.inRoom(["user": .string($0.victim)]) },
        Row("room.role", "F F F ok F F") { $0.inRoom(["user": .string($0.victim), "role": "moderator"]) },
        Row("room.mute", "F F ok ok F F") { $0.inRoom(["user": .string($0.victim), "until": until]) },
        Row("room.members", "F ok ok ok ok ok") { $0.inRoom() },
        Row("rooms", "ok ok ok ok ok ok") { _ in [:] },
    ]

    private static let inPairs = [
        Row("send to a person", "F ok ok ok B F") { ["to": .string($0.other), "text": "x", "key": "k"] },
        Row("send into the chat", "not-found ok ok ok B F") {
            ["chat": .string($0.pair), "text": "x", "key": "k"]
        },
        Row("recommend", "F ok ok ok B F") {
            ["to": .string($0.other), "product": ["id": "movie/603", "title": "The Matrix"], "key": "k"]
        },
        Row("edit of one's own", "not-found ok ok ok B F") { ["chat": .string($0.pair), "n": 1, "text": "x"] },
        Row("delete of one's own", "not-found ok ok ok ok ok") { ["chat": .string($0.pair), "n": 1] },
        Row("react in the chat", "not-found ok ok ok B F") {
            ["chat": .string($0.pair), "n": 1, "emoji": "👍", "on": true]
        },
        Row("read of the chat", "not-found ok ok ok ok ok") { ["chat": .string($0.pair), "n": 1] },
        Row("typing in the chat", "not-found ok ok ok B F") { ["chat": .string($0.pair), "on": true] },
        Row("history of the chat", "not-found ok ok ok ok ok") { ["chat": .string($0.pair)] },
        Row("follow a person", "ok ok ok ok B F") { ["topic": .string("user:\($0.other)")] },
        Row("block", "ok ok ok ok ok ok") { ["user": .string($0.other)] },
        Row("unblock", "ok ok ok ok ok ok") { ["user": .string($0.other)] },
        Row("report a person", "ok ok ok ok ok ok") { ["user": .string($0.other)] },
    ]

    /// Documents are as a table without rules has them: nobody writes one, and a collection that no rule opens is not there.
    private static let ofOneself = [
        Row("hello", "ok ok ok ok ok ok") { ["token": .string($0.token), "device": "phone"] },
        Row("ping", "ok ok ok ok ok ok") { _ in [:] },
        Row("ack", "ok ok ok ok ok ok") { _ in ["seq": 1] },
        Row("presence", "ok ok ok ok ok ok") { ["watch": [.string($0.other)]] },
        Row("focus", "ok ok ok ok ok ok") { _ in ["on": true] },
        Row("chats", "ok ok ok ok ok ok") { _ in [:] },
        Row("search", "ok ok ok ok ok ok") { _ in ["q": "hello"] },
        Row("unfollow", "ok ok ok ok ok ok") { ["topic": .string("user:\($0.other)")] },
        Row("following", "ok ok ok ok ok ok") { _ in [:] },
        Row("followers", "ok ok ok ok ok ok") { _ in [:] },
        Row("blocks", "ok ok ok ok ok ok") { _ in [:] },
        Row("notifications", "ok ok ok ok ok ok") { _ in [:] },
        Row("notification", "not-found not-found not-found not-found not-found not-found") { _ in
            ["notification": "n1"]
        },
        Row("seen", "ok ok ok ok ok ok") { _ in ["upTo": 1] },
        Row("archive of notifications", "not-found not-found not-found not-found not-found not-found") { _ in
            ["ids": ["n1"]]
        },
        Row("snooze", "not-found not-found not-found not-found not-found not-found") { _ in
            ["ids": ["n1"], "until": .string(Date(timeIntervalSinceNow: 86_400).ISO8601Format())]
        },
        Row("preferences", "ok ok ok ok ok ok") { _ in ["set": ["timeZone": "Europe/Rome"]] },
        Row("device", "ok ok ok ok ok ok") { _ in ["remove": true] },
        Row("devices", "ok ok ok ok ok ok") { _ in [:] },
        Row("get", "not-found not-found not-found not-found not-found not-found") {
            ["path": .string("users/\($0.actor)/tasks/1")]
        },
        Row("put", "F F F F F F") { ["path": .string("users/\($0.actor)/tasks/1"), "data": [:], "key": "k"] },
        Row("put of another's", "F F F F F F") {
            ["path": .string("users/\($0.other)/tasks/1"), "data": [:], "key": "k"]
        },
        Row("patch", "F F F F F F") {
            ["path": .string("users/\($0.actor)/tasks/1"), "data": [:], "key": "k"]
        },
        Row("remove", "F F F F F F") {
            ["path": .string("users/\($0.actor)/tasks/1"), "key": "k"]
        },
        Row("watch", "not-found not-found not-found not-found not-found not-found") {
            ["path": .string("users/\($0.actor)/tasks")]
        },
        Row("watch of another's", "not-found not-found not-found not-found not-found not-found") {
            ["path": .string("users/\($0.other)/tasks")]
        },
        Row("unwatch", "ok ok ok ok ok ok") { ["path": .string("users/\($0.actor)/tasks")] },
    ]

    @Test func `every command has a row`() {
        #expect(Set(CommandTable.types.map { $0.name }) == Set(Self.rows.map(\.type)))
    }

    @Test(arguments: rows) func `each kind of person gets the answer that the rights say`(_ row: Row) throws {
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        var found: [String] = []
        for role in Role.allCases {
            let scene = try Scene(role, on: server, admin)
            var command = row.command(scene)
            command["type"] = .string(row.type)
            let reply = try scene.device.reply(to: scene.device.post(.object(command)))
            found.append(reply["error"]?["code"]?.stringValue ?? "ok")
        }
        #expect(found == row.answers)
    }

    @Test func `an erased person gets nothing, whatever the command`() throws {
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        let scene = try Scene(.member, on: server, admin)
        try #require(try admin.call("DELETE", "/v1/users/\(scene.actor)", [:]).status == 202)
        let http = Admin(try HTTPPeer(port: server.port), token: scene.token)
        for row in Self.rows {
            var command = row.command(scene)
            command["type"] = .string(row.type)
            let answer = try http.call("POST", "/v1/commands", .object(command))
            #expect(answer.status == 403, "\(row.name): \(answer.status)")
        }
        let device = try server.connect()
        let refused = try device.refused(Device.helloCommand(token: scene.token))
        #expect(refused["code"] == "forbidden")
    }
}
