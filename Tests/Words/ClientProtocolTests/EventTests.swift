import JSON
import Model
import Testing

@testable import ClientProtocol

/// Every event as it goes over the wire.
@Suite struct EventTests {
    /// One event: its name, its bytes and the text they must be.
    struct Example: Sendable, CustomTestStringConvertible {
        var name: EventName
        var bytes: [UInt8]
        /// Whether the event bears the name.
        var isNamed: Bool
        var text: String
        var testDescription: String { text }

        init(_ name: EventName, _ event: EncodedEvent, _ text: String) {
            self.name = name
            bytes = event.json
            isNamed = event.name == name
            self.text = text
        }
    }

    /// The people and things of the examples.
    private struct Cast {
        let bob: UserID
        let gone: UserID
        let pair: ChatID
        let room: ChatID
        let at: Timestamp
        let person: Topic
        let key: WriteKey
        let seq: Position
        let product: Product
        let message: ChatMessage
        let recommendation: ChatMessage
        var notification: NotificationBody
        var silenced: NotificationBody

        init() throws {
            bob = try #require(UserID("bob"))
            gone = try #require(UserID(pseudonym: "4f2c"))
            pair = try #require(ChatID("alice:bob"))
            room = try #require(ChatID("room:r1"))
            at = Timestamp(milliseconds: 123)
            person = try #require(Topic("person:525"))
            key = try #require(WriteKey("k1"))
            seq = Position(4711)
            product = try #require(Product(id: "movie/603", title: "The Matrix", year: 1999, poster: "/p"))
            message = ChatMessage(chat: pair, n: 12, from: bob, at: at, key: key, text: "hi \"you\"")
            recommendation = ChatMessage(chat: pair, n: 13, from: bob, at: at, product: product, replyTo: 12)
            notification = NotificationBody(
                id: "n1",
                kind: "release",
                level: .timeSensitive,
                title: "T",
                body: "B",
                data: Array(#"{"p":1}"#.utf8),
                topic: person.text,
                at: at
            )
            notification.expires = at
            notification.collapse = "c"
            silenced = NotificationBody(
                id: "n2",
                kind: "k",
                level: .active,
                title: "T",
                body: "B",
                topic: "user:bob",
                at: at
            )
            silenced.silence = .quietHours
        }

        /// The message with an edit and reactions.
        var edited: ChatMessage {
            var edited = message
            edited.changes = MessageChanges(
                revision: 2, editedAt: message.at,
                reactions: [MessageChanges.Reaction(emoji: "👍", count: 2, isMine: true)])
            return edited
        }
    }

    static func examples() throws -> [Example] {
        let cast = try Cast()
        return try chatExamples(cast) + peopleExamples(cast) + inboxExamples(cast) + sessionExamples(cast)
    }

    private static func chatExamples(_ cast: Cast) -> [Example] {
        [
            Example(
                .message,
                Event.message(seq: cast.seq, cast.message),
                #"{"seq":4711,"type":"message","chat":"alice:bob","n":12,"from":"bob","at":"1970-01-01T00:00:00.123Z","key":"k1","text":"hi \"you\""}"#
            ),
            Example(
                .message,
                Event.message(seq: cast.seq, cast.recommendation),
                #"{"seq":4711,"type":"message","chat":"alice:bob","n":13,"from":"bob","at":"1970-01-01T00:00:00.123Z","product":{"id":"movie/603","title":"The Matrix","year":1999,"poster":"/p"},"replyTo":12}"#
            ),
            Example(
                .messageEdited,
                Event.messageEdited(seq: cast.seq, cast.edited),
                #"{"seq":4711,"type":"message.edited","chat":"alice:bob","n":12,"from":"bob","at":"1970-01-01T00:00:00.123Z","key":"k1","text":"hi \"you\"","rev":2,"editedAt":"1970-01-01T00:00:00.123Z","reactions":[{"emoji":"👍","count":2,"mine":true}]}"#
            ),
            Example(
                .messageDeleted,
                Event.messageDeleted(
                    seq: cast.seq, chat: cast.pair, n: 12, user: cast.bob, rev: 3, at: cast.message.at, key: nil),
                #"{"seq":4711,"type":"message.deleted","chat":"alice:bob","n":12,"user":"bob","rev":3,"at":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(
                .reaction,
                Event.reaction(
                    seq: cast.seq,
                    ReactCommand(chat: cast.pair, n: 12, emoji: "👍", isOn: false, key: cast.message.key),
                    user: cast.bob, count: 3, at: cast.message.at),
                #"{"seq":4711,"type":"reaction","chat":"alice:bob","n":12,"user":"bob","emoji":"👍","on":false,"count":3,"at":"1970-01-01T00:00:00.123Z","key":"k1"}"#
            ),
            Example(
                .messageDeleted,
                Event.messageDeleted(
                    seq: cast.seq, chat: cast.pair, n: 12, user: nil, reason: "moderated", rev: 3, at: cast.message.at,
                    key: nil),
                #"{"seq":4711,"type":"message.deleted","chat":"alice:bob","n":12,"reason":"moderated","rev":3,"at":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(
                .read,
                Event.read(seq: cast.seq, chat: cast.pair, user: cast.bob, n: 12, key: cast.message.key),
                #"{"seq":4711,"type":"read","chat":"alice:bob","user":"bob","n":12,"key":"k1"}"#
            ),
            Example(
                .read,
                Event.read(seq: cast.seq, chat: cast.pair, user: cast.bob, n: 12),
                #"{"seq":4711,"type":"read","chat":"alice:bob","user":"bob","n":12}"#
            ),
            Example(
                .delivered,
                Event.delivered(seq: cast.seq, chat: cast.pair, user: cast.bob, n: 12),
                #"{"seq":4711,"type":"delivered","chat":"alice:bob","user":"bob","n":12}"#
            ),
        ]
    }

    private static func peopleExamples(_ cast: Cast) -> [Example] {
        [
            Example(
                .room,
                Event.room(
                    seq: cast.seq, chat: cast.room,
                    RoomChange(.role, of: [cast.bob], by: cast.bob, role: .moderator, key: cast.message.key),
                    RoomSettings(title: "Films", isOpen: false, pace: 5), members: 3, at: cast.message.at),
                #"{"seq":4711,"type":"room","chat":"room:r1","change":"role","user":"bob","by":"bob","at":"1970-01-01T00:00:00.123Z","key":"k1","room":{"title":"Films","open":false,"posting":"all","history":"joined","pace":5,"members":3,"role":"moderator"}}"#
            ),
            Example(
                .room,
                Event.room(
                    seq: cast.seq, chat: cast.room,
                    RoomChange(.joined, of: [cast.bob, cast.message.from], by: cast.bob, role: .member),
                    RoomSettings(title: "Films", isOpen: true, posting: .moderators), members: 3, at: cast.message.at),
                #"{"seq":4711,"type":"room","chat":"room:r1","change":"joined","users":["bob","bob"],"by":"bob","at":"1970-01-01T00:00:00.123Z","room":{"title":"Films","open":true,"posting":"moderators","history":"all","pace":0,"members":3,"role":"member"}}"#
            ),
            Example(
                .roomInvited,
                Event.roomInvited(
                    seq: cast.seq,
                    InvitationBody(chat: cast.room, title: "Films", by: cast.bob, at: cast.message.at)),
                #"{"seq":4711,"type":"room.invited","chat":"room:r1","title":"Films","by":"bob","at":"1970-01-01T00:00:00.123Z","expires":"1970-01-31T00:00:00.123Z"}"#
            ),
            Example(
                .roomUninvited,
                Event.roomUninvited(
                    seq: cast.seq, chat: cast.room, .declined, at: cast.message.at, key: cast.message.key),
                #"{"seq":4711,"type":"room.uninvited","chat":"room:r1","reason":"declined","at":"1970-01-01T00:00:00.123Z","key":"k1"}"#
            ),
            Example(
                .blocked,
                Event.block(true, seq: cast.seq, user: cast.bob, key: cast.message.key, at: cast.message.at),
                #"{"seq":4711,"type":"blocked","user":"bob","key":"k1","at":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(
                .unblocked,
                Event.block(false, seq: cast.seq, user: cast.bob, key: nil, at: cast.message.at),
                #"{"seq":4711,"type":"unblocked","user":"bob","at":"1970-01-01T00:00:00.123Z"}"#
            ),
        ]
    }

    private static func inboxExamples(_ cast: Cast) throws -> [Example] {
        [
            Example(
                .notification,
                Event.notification(seq: cast.seq, cast.notification),
                #"{"seq":4711,"type":"notification","id":"n1","kind":"release","level":"time-sensitive","title":"T","body":"B","data":{"p":1},"topic":"person:525","at":"1970-01-01T00:00:00.123Z","expires":"1970-01-01T00:00:00.123Z","collapse":"c"}"#
            ),
            Example(
                .notification,
                Event.notification(seq: cast.seq, cast.silenced),
                #"{"seq":4711,"type":"notification","id":"n2","kind":"k","level":"active","title":"T","body":"B","data":{},"topic":"user:bob","at":"1970-01-01T00:00:00.123Z","alert":false,"reason":"quiet-hours"}"#
            ),
            Example(
                .notificationSeen,
                Event.notificationSeen(seq: cast.seq, .upTo(Position(7))),
                #"{"seq":4711,"type":"notification.seen","upTo":7}"#
            ),
            Example(
                .notificationSeen,
                Event.notificationSeen(seq: cast.seq, .ids(["n1", "n2"])),
                #"{"seq":4711,"type":"notification.seen","ids":["n1","n2"]}"#
            ),
            Example(
                .notificationRemoved,
                Event.notificationRemoved(seq: cast.seq, id: "n1", reason: .replaced),
                #"{"seq":4711,"type":"notification.removed","id":"n1","reason":"replaced"}"#
            ),
            Example(
                .notificationEdited,
                Event.notificationEdited(
                    seq: cast.seq, id: "n1", title: "T", body: "B", data: Array(#"{"p":1}"#.utf8)),
                #"{"seq":4711,"type":"notification.edited","id":"n1","title":"T","body":"B","data":{"p":1}}"#
            ),
            Example(
                .followed,
                Event.followed(seq: cast.seq, topic: cast.person, key: cast.key),
                #"{"seq":4711,"type":"followed","topic":"person:525","key":"k1"}"#
            ),
            Example(
                .unfollowed,
                Event.unfollowed(seq: cast.seq, topic: cast.person),
                #"{"seq":4711,"type":"unfollowed","topic":"person:525"}"#
            ),
            Example(
                .preferences,
                Event.preferences(seq: cast.seq, encoded: Array(preferences.utf8)),
                #"{"seq":4711,"type":"preferences","preferences":\#(preferences)}"#
            ),
            Example(
                .document,
                Event.document(seq: cast.seq, path: try DocumentPath("a/b"), version: 2, encoded: [0x7b, 0x7d]),
                #"{"seq":4711,"type":"document","path":"a/b","version":2,"data":{}}"#
            ),
            Example(
                .document,
                Event.document(seq: cast.seq, path: try DocumentPath("a/b"), version: 3, encoded: nil),
                #"{"seq":4711,"type":"document","path":"a/b","version":3,"data":null}"#
            ),
            Example(
                .unread,
                Event.unread(UnreadCounts(chats: 2, notifications: 5)),
                #"{"type":"unread","chats":2,"notifications":5}"#
            ),
        ]
    }

    private static func sessionExamples(_ cast: Cast) -> [Example] {
        [
            Example(
                .archived,
                Event.archived(seq: cast.seq, cast.pair, isOn: true, key: cast.message.key),
                #"{"seq":4711,"type":"archived","chat":"alice:bob","on":true,"key":"k1"}"#
            ),
            Example(
                .chatRenamed,
                Event.chatRenamed(
                    seq: cast.seq, chat: cast.pair, to: ChatID.pair(cast.bob, cast.gone), at: cast.message.at),
                #"{"seq":4711,"type":"chat.renamed","chat":"alice:bob","to":"bob:~4f2c","at":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(
                .typing,
                Event.typing(chat: cast.pair, user: cast.bob, on: true),
                #"{"type":"typing","chat":"alice:bob","user":"bob","on":true}"#
            ),
            Example(
                .presence,
                Event.presence(user: cast.bob, online: false, lastSeen: cast.at),
                #"{"type":"presence","user":"bob","online":false,"lastSeen":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(.live, Event.live(seq: cast.seq), #"{"type":"live","seq":4711}"#),
            Example(.reset, Event.reset(.tooFar), #"{"type":"reset","reason":"too-far"}"#),
            Example(
                .expiring,
                Event.expiring(at: cast.at),
                #"{"type":"expiring","at":"1970-01-01T00:00:00.123Z"}"#
            ),
            Example(.drain, Event.drain(withinMilliseconds: 3000), #"{"type":"drain","inMs":3000}"#),
            Example(
                .bye,
                Event.bye(.drain, reconnectInMilliseconds: 1800),
                #"{"type":"bye","code":4501,"reason":"drain","reconnectInMs":1800}"#
            ),
            Example(.bye, Event.bye(.kicked), #"{"type":"bye","code":4403,"reason":"kicked"}"#),
            Example(
                .unwatched,
                Event.unwatched(path: .collection("items"), reason: .notFound),
                #"{"type":"unwatched","path":"items","reason":"not-found"}"#
            ),
            Example(
                .documents,
                Event.documents(encoded: Array(#"{"path":"items","seq":7,"documents":[]}"#.utf8)),
                #"{"type":"documents","path":"items","seq":7,"documents":[]}"#
            ),
            Example(.beat, Event.beat(events: 3, seq: cast.seq), #"{"type":"beat","events":3,"seq":4711}"#),
        ]
    }

    @Test func `an event is written to the letter and read back by a client`() throws {
        for example in try Self.examples() {
            #expect(String(decoding: example.bytes, as: UTF8.self) == example.text)
            guard case .event(let type, let seq, let body) = try ServerMessage.decode(example.bytes) else {
                Issue.record("\(example.text) is no event")
                continue
            }
            #expect(type == example.name.rawValue)
            #expect(example.isNamed)
            #expect((seq == 4711) == (example.name.isDurable || [.live, .beat].contains(example.name)))
            #expect(body.bytes == example.bytes)
            #expect(example.text.hasPrefix(example.name.isDurable ? "{\"seq\":4711,\"type\":" : "{\"type\":"))
        }
    }

    @Test(arguments: EventName.allCases)
    func `every event of the contract has an example`(name: EventName) throws {
        #expect(try Self.examples().contains { $0.name == name })
    }
}

/// All members, as the server writes them.
private let preferences =
    #"{"locale":"it","timeZone":null,"quietHours":null,"mute":{},"levels":["active"],"kinds":{},"digest":{},"#
    + #""presence":"contacts","invites":"contacts"}"#
