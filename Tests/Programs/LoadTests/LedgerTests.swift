import ClientProtocol
import JSON
import Model
import Session
import Testing

@testable import watchwise_load

/// The ledger must notice each way in which a server can break a promise, and nothing else.
@Suite struct LedgerTests {
    /// A chat of w1 (the seeker, side 0) and w2 with two devices each, and an unacknowledged text.
    private struct Scene {
        var ledger: Ledger
        let write: Int
        let key: String
        let now = ContinuousClock.now

        init(_ content: Ledger.Content = .text("hi"), side: Int = 1) throws {
            let line: JSONValue = [
                "initiatorWorkerId": 1, "respondentWorkerId": 2, "movieMentions": [:], "messages": [],
            ]
            ledger = Ledger(
                run: "r", dialogues: [try Dialogue(line)], deviceCount: 2, notificationKind: "recommendation")
            let (index, key) = ledger.write(content, chat: 0, side: side, at: now)
            write = index
            self.key = try #require(key).text
        }

        func message(n: Int64 = 1, seq: Int64 = 10, text: String = "hi") -> JSONValue {
            [
                "seq": .integer(seq), "type": "message", "chat": "w1:w2", "n": .integer(n), "from": "w2",
                "key": .string(key), "text": .string(text),
            ]
        }

        mutating func acknowledge(n: Int64 = 1, seq: Int64 = 10) {
            ledger.acknowledge(write, Ledger.Place(n: n, seq: seq), at: now)
        }

        mutating func receive(_ body: JSONValue, user: Int, device: Int) {
            let event = ClientEvent(
                type: body["type"]?.stringValue ?? "",
                position: body["seq"]?.integerValue.map(Position.init),
                body: body
            )
            ledger.receive(event, user: user, device: device, at: now)
        }

        mutating func deliverEverywhere(_ body: JSONValue) {
            for user in 0...1 {
                for device in 0...1 { receive(body, user: user, device: device) }
            }
        }

        /// The kinds of findings after the final check.
        mutating func close() -> [Findings.Kind: Int] {
            ledger.countMissing()
            return ledger.findings.counts
        }
    }

    @Test func `a message that reaches every device in order leaves nothing to find`() throws {
        var scene = try Scene()
        scene.acknowledge()
        #expect(scene.ledger.owed == 4)
        scene.deliverEverywhere(scene.message())
        #expect(scene.ledger.owed == 0)
        #expect(scene.close().isEmpty)
        #expect(scene.ledger.expectedUnread(of: 0) == UnreadCounts(chats: 1, notifications: 0))
        #expect(scene.ledger.expectedUnread(of: 1) == UnreadCounts(chats: 0, notifications: 0))
        scene.ledger.acknowledgeRead(chat: 0, side: 0, upTo: 1)
        #expect(scene.ledger.expectedUnread(of: 0).chats == 0)
    }

    @Test func `an event before its ok is as good as after it`() throws {
        var scene = try Scene()
        scene.deliverEverywhere(scene.message())
        scene.acknowledge()
        #expect(scene.ledger.owed == 0)
        #expect(scene.close().isEmpty)
    }

    @Test func `a device that is left out makes it lost`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.receive(scene.message(), user: 0, device: 0)
        scene.receive(scene.message(), user: 1, device: 0)
        scene.receive(scene.message(), user: 1, device: 1)
        #expect(scene.ledger.owed == 1)
        #expect(scene.close() == [.lost: 1])
    }

    @Test func `a second delivery is doubled, whether or not its position ascends`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.deliverEverywhere(scene.message())
        scene.receive(scene.message(seq: 11), user: 0, device: 0)
        let again = ClientEvent(type: "message", position: Position(10), body: scene.message())
        scene.ledger.receive(.notAscending(again, cursor: Position(11)), user: 0, device: 1)
        #expect(scene.close() == [.doubled: 2])
    }

    @Test func `a number that skips, or a position that falls, is out of order`() throws {
        var scene = try Scene()
        scene.receive(scene.message(n: 2), user: 0, device: 0)
        #expect(scene.ledger.findings[.outOfOrder] == 1)
        scene.receive(["seq": 5, "type": "read", "chat": "w1:w2", "user": "w2", "n": 1], user: 0, device: 0)
        #expect(scene.ledger.findings[.outOfOrder] == 2)
    }

    @Test(arguments: ["q-0", "r-1", "r--1", "r-x", ""]) func `a message nobody sent is a phantom`(key: String) throws {
        var scene = try Scene()
        var body = scene.message()
        body["key"] = .string(key)
        scene.receive(body, user: 0, device: 0)
        #expect(scene.ledger.findings.counts == [.phantom: 1])
    }

    @Test func `a message that was refused and comes nevertheless is a phantom`() throws {
        var scene = try Scene()
        scene.ledger.refuse(scene.write, because: "blocked")
        scene.receive(scene.message(), user: 0, device: 0)
        #expect(scene.ledger.findings.counts == [.refused: 1, .phantom: 1])
    }

    @Test(arguments: ["text", "from", "chat"]) func `a message that is not as it was sent is altered`(
        member: String
    ) throws {
        var scene = try Scene()
        var body = scene.message()
        body[member] = "another"
        scene.receive(body, user: 0, device: 0)
        #expect(scene.ledger.findings.counts == [.altered: 1])
    }

    @Test func `a reply that names another place than the event is noticed`() throws {
        var scene = try Scene()
        scene.deliverEverywhere(scene.message())
        scene.acknowledge(n: 1, seq: 12)
        #expect(scene.ledger.findings.counts == [.altered: 1])
    }

    @Test func `a write without an answer is noticed`() throws {
        var scene = try Scene()
        #expect(scene.close() == [.unanswered: 1])
    }

    @Test func `a recommendation owes one notification to each device of its recipient alone`() throws {
        let product = try #require(Product(id: "movie/1", title: "One", year: 1999))
        var scene = try Scene(.recommendation(product))
        scene.acknowledge()
        #expect(scene.ledger.owed == 6)
        var body = scene.message()
        body["text"] = nil
        body["product"] = ["id": "movie/1", "title": "One", "year": 1999]
        scene.deliverEverywhere(body)
        let notification: JSONValue = [
            "seq": 11, "type": "notification", "id": "11", "kind": "recommendation",
            "data": ["recommendation": "w1:w2-1"],
        ]
        scene.receive(notification, user: 0, device: 0)
        #expect(scene.ledger.owed == 1)
        #expect(scene.ledger.expectedUnread(of: 0).notifications == 1)
        var incomplete = scene
        // The device misses both the write's notification and the one with that id.
        #expect(incomplete.close() == [.notificationLost: 2])
        scene.receive(notification, user: 0, device: 1)
        var complete = scene
        #expect(complete.close().isEmpty)
        var second = notification
        second["id"] = "12"
        second["seq"] = 12
        scene.receive(second, user: 0, device: 0)
        #expect(scene.ledger.findings.counts == [.notificationDoubled: 1])
        scene.receive(notification, user: 1, device: 0)
        #expect(scene.ledger.findings[.phantom] == 1)
    }

    @Test func `a wrong count on a device is noticed, a right one is not`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.deliverEverywhere(scene.message())
        scene.receive(["type": "unread", "chats": 1, "notifications": 0], user: 0, device: 0)
        #expect(scene.ledger.wrongUnread().isEmpty)
        scene.receive(["type": "unread", "chats": 0, "notifications": 0], user: 0, device: 1)
        scene.receive(["type": "unread", "chats": 0, "notifications": 1], user: 1, device: 1)
        #expect(scene.ledger.wrongUnread().count == 2)
    }

    @Test func `a history that lacks, adds or changes a message is wrong`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.ledger.check(history: [scene.message()], chat: 0)
        #expect(scene.ledger.findings.total == 0)
        scene.ledger.check(history: [], chat: 0)
        scene.ledger.check(history: [scene.message(), scene.message(n: 2)], chat: 0)
        scene.ledger.check(history: [scene.message(text: "ho")], chat: 0)
        #expect(scene.ledger.findings.counts == [.wrongHistory: 3])
    }

    // MARK: Changes

    private func change(
        _ scene: inout Scene, _ alteration: Ledger.Alteration, _ body: JSONValue, isAcknowledged: Bool = true
    ) throws {
        let (index, key) = scene.ledger.change(scene.write, alteration)
        if isAcknowledged { scene.ledger.acknowledge(change: index, at: scene.now) }
        var body = body
        body["chat"] = "w1:w2"
        body["n"] = 1
        body["key"] = .string(try #require(key).text)
        scene.deliverEverywhere(body)
    }

    @Test func `an edit, a reaction and a deletion that reach every device leave nothing to find`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.deliverEverywhere(scene.message())
        try change(&scene, .edit("ho"), ["seq": 11, "type": "message.edited", "text": "ho"])
        try change(&scene, .react("x"), ["seq": 12, "type": "reaction", "emoji": "x", "on": true])
        #expect(scene.ledger.owed == 0)
        var listed = scene.message(text: "ho")
        listed["reactions"] = [["emoji": "x", "count": 1]]
        scene.ledger.check(history: [listed], chat: 0)
        #expect(scene.ledger.findings.total == 0)
        #expect(scene.ledger.expectedUnread(of: 0).chats == 1)
        try change(&scene, .delete, ["seq": 13, "type": "message.deleted"])
        #expect(scene.ledger.expectedUnread(of: 0).chats == 0)
        listed["text"] = .none
        listed["deleted"] = true
        scene.ledger.check(history: [listed], chat: 0)
        #expect(scene.close().isEmpty)
    }

    @Test func `a deleted text that comes to a device that connected later is noticed`() throws {
        var scene = try Scene()
        scene.acknowledge()
        try change(&scene, .delete, ["seq": 11, "type": "message.deleted"])
        scene.ledger.online(user: 0, device: 0, since: scene.now + .seconds(1))
        let before = scene.ledger.findings[.altered]
        scene.receive(scene.message(), user: 0, device: 0)
        #expect(scene.ledger.findings[.altered] == before + 1)
    }

    @Test func `a change that is missing, doubled, or of nobody is noticed`() throws {
        var scene = try Scene()
        scene.acknowledge()
        scene.deliverEverywhere(scene.message())
        let (index, _) = scene.ledger.change(scene.write, .delete)
        scene.ledger.acknowledge(change: index, at: scene.now)
        scene.receive(["seq": 11, "type": "message.deleted", "key": "r-c9"], user: 0, device: 0)
        #expect(scene.close() == [.phantom: 1, .lost: 4])
    }
}
