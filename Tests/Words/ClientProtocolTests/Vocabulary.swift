import JSON
import Model
import Testing

@testable import ClientProtocol

/// One member of a command, as the contract describes it.
struct FieldRow: Sendable {
    /// Dotted for a member of a member.
    var path: String
    var kinds: Set<JSONKind>
    var isRequired: Bool
    /// Values of the right type that are still refused: too long, out of range, or of another form.
    var refused: [JSONValue]
    /// The member that a refusal names when this one is missing.
    var missing: String

    static func required(
        _ path: String,
        _ kinds: Set<JSONKind>,
        refused: [JSONValue],
        missing: String? = nil
    ) -> FieldRow {
        FieldRow(path: path, kinds: kinds, isRequired: true, refused: refused, missing: missing ?? path)
    }

    static func optional(_ path: String, _ kinds: Set<JSONKind>, refused: [JSONValue]) -> FieldRow {
        FieldRow(path: path, kinds: kinds, isRequired: false, refused: refused, missing: path)
    }
}

/// One form of a command: an example with every member, the expected result, and its members.
struct CommandRow: Sendable, CustomTestStringConvertible {
    var example: JSONValue
    var command: any Command
    var fields: [FieldRow]

    init(_ example: JSONValue, _ command: any Command, _ fields: [FieldRow]) {
        self.example = example
        self.command = command
        self.fields = fields
    }

    var testDescription: String { example.text }
}

/// The members that many commands have.
private let badUsers: [JSONValue] = ["", "with space", "room", "é", .string(String(repeating: "a", count: 129))]
private let badChats: [JSONValue] = ["", "alice", "bob:alice", "alice:alice", "room:", "a:b:c", ":b"]
private let badKeys: [JSONValue] = ["", "with space", "é", .string(String(repeating: "k", count: 65))]
private let badNumbers: [JSONValue] = [0, -1, 1.5, 9_007_199_254_740_992]
private let badCounts: [JSONValue] = [-1, 0.5, 9_007_199_254_740_992]
private let badTexts: [JSONValue] = ["", .string(String(repeating: "x", count: 4001))]
private let badTopics: [JSONValue] = ["", "user", "user:", "User:a", ":a", "user:a b", "user:room"]
private let badPaths: [JSONValue] = ["", "a", "a/", "/a/b", "a//b", "a/b c", "a/b/c"]
private let badCursors: [JSONValue] = ["", "with space", .string(String(repeating: "c", count: 257))]

private func text(_ characters: Int) -> JSONValue { .string(String(repeating: "x", count: characters)) }
private func users(_ count: Int) -> JSONValue { .array((0..<count).map { .string("u\($0)") }) }

private let chat = FieldRow.required("chat", [.string], refused: badChats)
private let otherUser = FieldRow.required("user", [.string], refused: badUsers)
private let number = FieldRow.required("n", [.number], refused: badNumbers)
private let key = FieldRow.required("key", [.string], refused: badKeys)
private let optionalKey = FieldRow.optional("key", [.string], refused: badKeys)
private let messageText = FieldRow.required("text", [.string], refused: badTexts)
private let on = FieldRow.required("on", [.bool], refused: [])
private let before = FieldRow.optional("before", [.string, .number], refused: badCursors)
private let after = FieldRow.optional("after", [.string, .number], refused: badCursors)
private let limit = FieldRow.optional("limit", [.number], refused: [0, -1, 201, 1.5])
private let topic = FieldRow.required("topic", [.string], refused: badTopics)
private let optionalTopic = FieldRow.optional("topic", [.string], refused: badTopics)
private let path = FieldRow.required("path", [.string], refused: badPaths)
private let watchedPath = FieldRow.required("path", [.string], refused: ["", "a/", "/a/b", "a//b", "a/b c"])
private let data = FieldRow.required("data", [.object], refused: [])
private let version = FieldRow.optional("ifVersion", [.number], refused: badCounts)

private func require<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("an example of the vocabulary is not of its form") }
    return value
}

private let alice = require(UserID("alice"))
private let bob = require(UserID("bob"))
private let pair = require(ChatID("alice:bob"))
private let room = require(ChatID("room:r1"))
private let k1 = require(WriteKey("k1"))
private let person = require(Topic("person:525"))
private let review = require(try? DocumentPath("reviews/r1"))

/// Every command of the contract in every form it has.
let vocabulary: [CommandRow] =
    sessionRows + messageRows + chatRows + roomRows + roomMemberRows + topicRows + inboxRows + deviceRows + documentRows

private let sessionRows: [CommandRow] = [
    CommandRow(
        [
            "type": "hello", "token": "t.o.k", "device": "phone-1", "since": ["epoch": "e-6f2a", "seq": 4711],
            "locale": "it-ch", "client": "ios/2.1",
        ],
        HelloCommand(
            token: "t.o.k",
            device: "phone-1",
            since: ResumePoint(epoch: require(Epoch("e-6f2a")), seq: Position(4711)),
            locale: require(LanguageTag("it-CH")),
            client: "ios/2.1"
        ),
        [
            .optional("token", [.string], refused: ["", "a b", text(8193)]),
            .optional("device", [.string], refused: ["", "a b", text(129)]), .optional("since", [.object], refused: []),
            .optional("readAfter", [.object], refused: []),
            .required("since.epoch", [.string], refused: ["", "a b", text(65)]),
            .required("since.seq", [.number], refused: badCounts),
            .optional("locale", [.string], refused: ["", "x", "it+IT"]),
            .optional("client", [.string], refused: [text(129)]),
        ]
    ),
    CommandRow(
        ["type": "ack", "seq": 4711],
        AckCommand(seq: Position(4711)),
        [.required("seq", [.number], refused: badCounts)]
    ),
    CommandRow(["type": "ping"], PingCommand(), []),
    CommandRow(
        ["type": "presence", "watch": ["alice", "bob", "alice"]],
        PresenceCommand(watch: [alice, bob]),
        [.required("watch", [.array], refused: [users(201)]), .required("watch.0", [.string], refused: badUsers)]
    ),
    CommandRow(
        ["type": "focus", "on": true, "chat": "alice:bob"],
        FocusCommand(on: true, chat: pair),
        [on, .optional("chat", [.string], refused: badChats)]
    ),
]

private let messageRows: [CommandRow] = [
    CommandRow(
        [
            "type": "recommend", "to": "bob", "note": "see it", "key": "k1",
            "product": ["id": "movie/603", "title": "The Matrix", "year": 1999, "poster": "/p.jpg"],
        ],
        RecommendCommand(
            to: bob,
            product: require(Product(id: "movie/603", title: "The Matrix", year: 1999, poster: "/p.jpg")),
            note: "see it",
            key: k1
        ),
        [
            .required("to", [.string], refused: badUsers), .required("product", [.object], refused: []),
            .required("product.id", [.string], refused: ["", "a b", text(201)]),
            .optional("product.title", [.string], refused: [text(501)]),
            .optional("product.year", [.number], refused: [-1, 10_000, 1999.5]),
            .optional("product.poster", [.string], refused: [text(2049)]),
            .optional("note", [.string], refused: [text(1001)]), key,
        ]
    ),
    CommandRow(
        ["type": "send", "chat": "alice:bob", "text": "hi", "replyTo": 3, "key": "k1"],
        SendCommand(recipient: .chat(pair), text: "hi", replyTo: 3, key: k1),
        [chat, messageText, .optional("replyTo", [.number], refused: badNumbers), key]
    ),
    CommandRow(
        ["type": "send", "to": "bob", "text": "hi", "key": "k1"],
        SendCommand(recipient: .user(bob), text: "hi", key: k1),
        [.required("to", [.string], refused: badUsers, missing: "chat"), messageText, key]
    ),
]

private let badEmoji: [JSONValue] = [
    "", "ab", " ", "\n", "👍👍", "\u{fe0f}", .string("e" + String(repeating: "\u{301}", count: 32)),
]

private let badRooms: [JSONValue] = [
    "", "r1", "room:", "room:a b", "alice:bob", .string("room:" + String(repeating: "a", count: 65)),
]
private let roomID = FieldRow.required("chat", [.string], refused: badRooms)
private let anybody = FieldRow.required("user", [.string], refused: badUsers)
private let later = FieldRow.optional("until", [.string], refused: ["", "tomorrow", "2026-13-01T00:00:00Z"])
private let ban = FieldRow.optional("ban", [.bool], refused: [])
private let open = FieldRow.optional("open", [.bool], refused: [])
private let posting = FieldRow.optional("posting", [.string], refused: ["", "owner"])
private let pastOf = FieldRow.optional("history", [.string], refused: ["", "none"])

private func people(_ counts: Int...) -> [FieldRow] {
    [
        .required("members", [.array], refused: counts.map(users)),
        .required("members.0", [.string], refused: badUsers),
    ]
}

private let roomRows: [CommandRow] = [
    CommandRow(
        [
            "type": "room.create", "title": "Films", "members": ["alice", "bob", "alice"], "open": true,
            "posting": "moderators", "history": "joined", "key": "k1",
        ],
        RoomCreateCommand(
            settings: RoomSettings(title: "Films", isOpen: true, posting: .moderators, history: .joined),
            members: [alice, bob], key: k1),
        [.required("title", [.string], refused: ["", text(201)]), open, posting, pastOf, optionalKey] + people(1000)
    ),
    CommandRow(
        [
            "type": "room.update", "chat": "room:r1", "title": "Films", "open": false, "posting": "all",
            "history": "all", "pace": 5, "key": "k1",
        ],
        RoomUpdateCommand(
            chat: room, title: "Films", isOpen: false, posting: .all, history: .all, pace: 5, key: k1),
        [
            roomID, .optional("title", [.string], refused: ["", text(201)]), open, posting, pastOf,
            .optional("pace", [.number], refused: [-1, 21_601, 0.5]), optionalKey,
        ]
    ),
    CommandRow(
        ["type": "rooms", "open": true, "after": "7", "limit": 10],
        RoomsCommand(isOpen: true, after: "7", limit: 10),
        [open, after, limit]
    ),
]

private let roomMemberRows: [CommandRow] = [
    CommandRow(
        ["type": "room.invite", "chat": "room:r1", "members": ["alice", "bob", "alice"], "key": "k1"],
        RoomInviteCommand(chat: room, members: [alice, bob], key: k1),
        [roomID, optionalKey] + people(0, 1001)
    ),
    CommandRow(
        ["type": "room.invitations", "after": "7", "limit": 10], RoomInvitationsCommand(after: "7", limit: 10),
        [after, limit]
    ),
    CommandRow(
        ["type": "room.accept", "chat": "room:r1", "key": "k1"], RoomAcceptCommand(chat: room, key: k1),
        [roomID, optionalKey]
    ),
    CommandRow(
        ["type": "room.decline", "chat": "room:r1", "key": "k1"], RoomDeclineCommand(chat: room, key: k1),
        [roomID, optionalKey]
    ),
    CommandRow(
        ["type": "room.join", "chat": "room:r1", "key": "k1"], RoomJoinCommand(chat: room, key: k1),
        [roomID, optionalKey]
    ),
    CommandRow(
        ["type": "room.leave", "chat": "room:r1", "key": "k1"], RoomLeaveCommand(chat: room, key: k1),
        [roomID, optionalKey]
    ),
    CommandRow(
        [
            "type": "room.remove", "chat": "room:r1", "user": "bob", "ban": true, "until": "2026-11-23T11:06:59Z",
            "reason": "spam", "key": "k1",
        ],
        RoomRemoveCommand(
            chat: room, user: bob, ban: true, until: require(Timestamp("2026-11-23T11:06:59Z")), reason: "spam", key: k1
        ),
        [roomID, anybody, later, .optional("reason", [.string], refused: ["", text(501)]), optionalKey, ban]
    ),
    CommandRow(
        ["type": "room.remove", "chat": "room:r1", "user": "bob", "ban": false],
        RoomRemoveCommand(chat: room, user: bob, ban: false),
        [roomID, anybody, ban]
    ),
    CommandRow(
        ["type": "room.role", "chat": "room:r1", "user": "bob", "role": "moderator", "key": "k1"],
        RoomRoleCommand(chat: room, user: bob, role: .moderator, key: k1),
        [roomID, anybody, .required("role", [.string], refused: ["", "admin"]), optionalKey]
    ),
    CommandRow(
        ["type": "room.mute", "chat": "room:r1", "user": "bob", "until": "2026-11-23T11:06:59Z", "key": "k1"],
        RoomMuteCommand(chat: room, user: bob, until: require(Timestamp("2026-11-23T11:06:59Z")), key: k1),
        [roomID, anybody, later, optionalKey]
    ),
    CommandRow(
        ["type": "room.members", "chat": "room:r1", "after": "7", "limit": 10],
        RoomMembersCommand(chat: room, after: "7", limit: 10),
        [roomID, after, limit]
    ),
]

private let chatRows: [CommandRow] = [
    CommandRow(
        ["type": "edit", "chat": "alice:bob", "n": 12, "text": "hi", "rev": 3, "key": "k1"],
        EditCommand(chat: pair, n: 12, text: "hi", revision: 3, key: k1),
        [chat, number, messageText, .optional("rev", [.number], refused: badNumbers), optionalKey]
    ),
    CommandRow(
        ["type": "delete", "chat": "alice:bob", "n": 12, "key": "k1"],
        DeleteCommand(chat: pair, n: 12, key: k1),
        [chat, number, optionalKey]
    ),
    CommandRow(
        ["type": "react", "chat": "alice:bob", "n": 12, "emoji": "👨‍👩‍👧‍👦", "on": true, "key": "k1"],
        ReactCommand(chat: pair, n: 12, emoji: "👨‍👩‍👧‍👦", isOn: true, key: k1),
        [chat, number, .required("emoji", [.string], refused: badEmoji), on, optionalKey]
    ),
    CommandRow(
        ["type": "read", "chat": "alice:bob", "n": 12, "key": "k1"],
        ReadCommand(chat: pair, n: 12, key: k1),
        [chat, number, optionalKey]
    ),
    CommandRow(
        ["type": "archive", "chat": "alice:bob", "on": true, "key": "k1"],
        ArchiveCommand(subject: .chat(pair, isOn: true), key: k1),
        [chat, on, optionalKey]
    ),
    CommandRow(
        ["type": "archive", "ids": ["n1", "n2"], "key": "k1"],
        ArchiveCommand(subject: .notifications(["n1", "n2"]), key: k1),
        [
            .required("ids", [.array], refused: [[], users(201)], missing: "chat"),
            .required("ids.0", [.string], refused: ["", "a b", text(65)]), optionalKey,
        ]
    ),
    CommandRow(
        ["type": "typing", "chat": "room:r1", "on": false],
        TypingCommand(chat: room, on: false),
        [chat, on]
    ),
    CommandRow(
        ["type": "chats", "before": "17", "limit": 200],
        ChatsCommand(before: "17", limit: 200),
        [before, limit]
    ),
    CommandRow(
        ["type": "history", "chat": "alice:bob", "before": 12, "limit": 10],
        HistoryCommand(chat: pair, before: 12, limit: 10),
        [chat, .optional("before", [.string, .number], refused: badNumbers + ["", "x", "0", "1.5"]), limit]
    ),
    CommandRow(
        ["type": "history", "chat": "alice:bob", "before": "12"],
        HistoryCommand(chat: pair, before: 12),
        [chat, .optional("before", [.string, .number], refused: [])]
    ),
    CommandRow(
        ["type": "history", "chat": "alice:bob", "after": 0],
        HistoryCommand(chat: pair, after: 0),
        [chat, .optional("after", [.string, .number], refused: badCounts + ["", "x", "-1"])]
    ),
    CommandRow(
        [
            "type": "search", "q": "the matrix", "chat": "alice:bob", "from": "bob", "before": "17", "limit": 10,
        ],
        SearchCommand(question: "the matrix", chat: pair, author: bob, before: "17", limit: 10),
        [
            .required("q", [.string], refused: ["", .string(String(repeating: "q", count: 257))]),
            .optional("chat", [.string], refused: ["", "alice"]), .optional("from", [.string], refused: ["", "a b"]),
            before, limit,
        ]
    ),
]

private let topicRows: [CommandRow] = [
    CommandRow(
        ["type": "follow", "topic": "person:525", "key": "k1"],
        FollowCommand(topic: person, key: k1),
        [topic, optionalKey]
    ),
    CommandRow(
        ["type": "unfollow", "topic": "person:525", "key": "k1"],
        UnfollowCommand(topic: person, key: k1),
        [topic, optionalKey]
    ),
    CommandRow(
        ["type": "following", "topic": "person:525", "after": "c1", "limit": 1],
        FollowingCommand(topic: person, after: "c1", limit: 1),
        [optionalTopic, after, limit]
    ),
    CommandRow(
        ["type": "followers", "topic": "person:525", "after": "17", "limit": 1],
        FollowersCommand(topic: person, after: "17", limit: 1),
        [optionalTopic, after, limit]
    ),
    CommandRow(
        ["type": "block", "user": "bob", "key": "k1"], BlockCommand(user: bob, key: k1), [otherUser, optionalKey]),
    CommandRow(
        ["type": "unblock", "user": "bob", "key": "k1"], UnblockCommand(user: bob, key: k1), [otherUser, optionalKey]),
    CommandRow(
        ["type": "blocks", "after": "17", "limit": 1], BlocksCommand(after: "17", limit: 1), [after, limit]),
    CommandRow(
        [
            "type": "report", "user": "bob", "chat": "alice:bob", "n": 12, "category": "self-harm", "reason": "r",
            "key": "k1",
        ],
        ReportCommand(user: bob, chat: pair, n: 12, category: .selfHarm, reason: "r", key: k1),
        [
            otherUser, chat, .optional("n", [.number], refused: badNumbers),
            .optional("category", [.string], refused: ["", "Spam", "rude"]),
            .optional("reason", [.string], refused: ["", text(1001)]), optionalKey,
        ]
    ),
    CommandRow(
        ["type": "report", "user": "bob", "chat": "alice:bob"], ReportCommand(user: bob, chat: pair),
        [otherUser, .optional("chat", [.string], refused: badChats)]
    ),
]

private let inboxRows: [CommandRow] = [
    CommandRow(
        ["type": "notifications", "before": "17", "limit": 20, "unread": true],
        NotificationsCommand(before: "17", limit: 20, isUnreadOnly: true),
        [before, limit, .optional("unread", [.bool], refused: [])]
    ),
    CommandRow(
        ["type": "seen", "upTo": 4711],
        SeenCommand.upTo(Position(4711)),
        [.required("upTo", [.number], refused: badCounts)]
    ),
    CommandRow(
        ["type": "seen", "ids": ["n-1", "n-2"]],
        SeenCommand.ids(["n-1", "n-2"]),
        [
            .required("ids", [.array], refused: [[], users(201)], missing: "upTo"),
            .required("ids.0", [.string], refused: ["", "a b", text(65)]),
        ]
    ),
    CommandRow(
        ["type": "snooze", "ids": ["n1", "n2"], "until": "2026-11-21T10:00:00.000Z"],
        SnoozeCommand(ids: ["n1", "n2"], until: Timestamp(milliseconds: 1_795_255_200_000)),
        [
            .required("ids", [.array], refused: [[], users(201)]),
            .required("ids.0", [.string], refused: ["", "a b", text(65)]),
            .required("until", [.string], refused: ["", "tomorrow", "2026-13-01T00:00:00Z"]),
        ]
    ),
    CommandRow(
        ["type": "preferences", "set": ["locale": "it", "quietHours": ["from": "22:00"]], "key": "k1"],
        PreferencesCommand(set: ["locale": "it", "quietHours": ["from": "22:00"]], key: k1),
        [.optional("set", [.object], refused: []), optionalKey]
    ),
    CommandRow(
        ["type": "notification", "notification": "n7"], NotificationCommand(notification: "n7"),
        [.required("notification", [.string], refused: ["", "a b", text(65)])]),
]

private let point = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
private let subscriptionKeys = DeviceCommand.Keys(publicKey: point, secret: "tBHItJI5svbpez7KI4CCXg")
private let badAddresses: [JSONValue] = ["", "a b", text(2049)]

private let deviceRows: [CommandRow] = [
    CommandRow(
        [
            "type": "device", "platform": "webpush", "privacy": "hidden", "open": "https://app.example/",
            "subscription": [
                "endpoint": "https://push.example/1",
                "keys": ["p256dh": .string(point), "auth": "tBHItJI5svbpez7KI4CCXg"],
            ],
        ],
        DeviceCommand(
            action: .register(
                DeviceCommand.Registration(
                    platform: .webpush,
                    target: .subscription(endpoint: "https://push.example/1", subscriptionKeys), privacy: .hidden,
                    open: "https://app.example/"))),
        [
            .required("platform", [.string], refused: ["", "sms", "WebPush"]),
            .required("subscription", [.object], refused: []),
            .required("subscription.endpoint", [.string], refused: ["", "a b", text(1001)]),
            .required("subscription.keys", [.object], refused: []),
            .required("subscription.keys.p256dh", [.string], refused: ["", "a b", text(129)]),
            .required("subscription.keys.auth", [.string], refused: ["", "a b", text(129)]),
            .optional("privacy", [.string], refused: ["", "secret"]),
            .optional("open", [.string], refused: badAddresses),
        ]),
    CommandRow(
        [
            "type": "device", "platform": "apns", "token": .string(String(repeating: "Ab", count: 32)),
            "topic": "org.example.films", "environment": "sandbox",
        ],
        DeviceCommand(
            action: .register(
                DeviceCommand.Registration(
                    platform: .apns,
                    target: .apns(
                        token: String(repeating: "ab", count: 32), topic: "org.example.films", environment: .sandbox)))),
        [
            .required("platform", [.string], refused: ["", "sms"]),
            .required("token", [.string], refused: ["", "ab", text(64), .string(String(repeating: "a", count: 201))]),
            .required("topic", [.string], refused: ["", "a b", text(256)]),
            .optional("environment", [.string], refused: ["", "test"]),
        ]),
    CommandRow(
        [
            "type": "device", "platform": "fcm", "token": "t:1", "privacy": "sealed",
            "keys": ["p256dh": .string(point), "auth": "tBHItJI5svbpez7KI4CCXg"],
        ],
        DeviceCommand(
            action: .register(
                DeviceCommand.Registration(
                    platform: .fcm, target: .fcmToken("t:1"), privacy: .sealed, keys: subscriptionKeys))),
        [
            .required("platform", [.string], refused: ["", "sms"]),
            .required("token", [.string], refused: ["", "a b", text(4097)]),
            .optional("privacy", [.string], refused: ["", "secret"]),
            .required("keys", [.object], refused: []),
            .required("keys.p256dh", [.string], refused: ["", "a b", text(129)]),
            .required("keys.auth", [.string], refused: ["", "a b", text(129)]),
        ]),
    CommandRow(
        ["type": "device", "platform": "fcm", "fid": "cIcNvvqtR0CfdXjqHuY9eL"],
        DeviceCommand(
            action: .register(
                DeviceCommand.Registration(platform: .fcm, target: .fcmInstallation("cIcNvvqtR0CfdXjqHuY9eL")))),
        [
            .required("platform", [.string], refused: ["", "sms"]),
            .required(
                "fid", [.string], refused: ["", "a b", text(21), text(23), "cIcNvvqtR0CfdXjqHuY9e/"], missing: "token"),
        ]),
    CommandRow(
        ["type": "device", "remove": true], DeviceCommand(action: .remove(device: nil)),
        [.required("remove", [.bool, .string], refused: [false, "", "a b", text(129)], missing: "platform")]),
    CommandRow(
        ["type": "device", "remove": "phone-1"], DeviceCommand(action: .remove(device: "phone-1")),
        [.required("remove", [.bool, .string], refused: [false, "", "a b", text(129)], missing: "platform")]),
    CommandRow(["type": "devices"], DevicesCommand(), []),
]

private let documentRows: [CommandRow] = [
    CommandRow(["type": "get", "path": "reviews/r1"], GetCommand(path: review), [path]),
    CommandRow(
        ["type": "put", "path": "reviews/r1", "data": ["stars": 5], "ifVersion": 0, "key": "k1"],
        PutCommand(path: review, data: ["stars": 5], ifVersion: 0, key: k1),
        [path, data, version, key]
    ),
    CommandRow(
        ["type": "patch", "path": "reviews/r1", "data": ["stars": nil], "ifVersion": 2, "key": "k1"],
        PatchCommand(path: review, data: ["stars": nil], ifVersion: 2, key: k1),
        [path, data, version, key]
    ),
    CommandRow(
        ["type": "remove", "path": "reviews/r1", "ifVersion": 2, "key": "k1"],
        RemoveCommand(path: review, ifVersion: 2, key: k1),
        [path, version, key]
    ),
    CommandRow(
        ["type": "watch", "path": "reviews/r1"],
        WatchCommand(path: .document(review)),
        [
            watchedPath, .optional("after", [.string], refused: ["", "a b"]),
            .optional("since", [.object], refused: []),
        ]
    ),
    CommandRow(
        ["type": "unwatch", "path": "people/525/credits"],
        UnwatchCommand(path: .collection("people/525/credits")),
        [watchedPath]
    ),
]
