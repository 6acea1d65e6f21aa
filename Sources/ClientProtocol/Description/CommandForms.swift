import Model

/// The fields of the commands and the members of their answers, from which the AsyncAPI document is made. A test holds them
/// against the decoders, example by example: they have the same fields, take the same values and refuse the same.
///
/// - Confinement: any
package enum CommandForms {
    /// The fields of a command beside `id` and `type`, and the members of its answer.
    ///
    /// - Confinement: any
    package struct Form: Sendable {
        /// The forms that it has; one for most.
        package let fields: [[ValueForm.Member]]
        package let answer: [ValueForm.Member]

        init(_ fields: [ValueForm.Member], ok answer: [ValueForm.Member]) {
            self.init(either: [fields], ok: answer)
        }

        init(either fields: [[ValueForm.Member]], ok answer: [ValueForm.Member]) {
            self.fields = fields
            self.answer = answer
        }
    }

    package static let byName: [String: Form] = [session, chats, rooms, topics, inbox, devices, documents].reduce(
        into: [:]) {
            all, part in all.merge(part) { first, _ in first }
        }

    // MARK: The parts that many have

    private static let chat = ValueForm.Member.need("chat", .anyChat)
    private static let number = ValueForm.Member.need("n", .integer(1...FieldLimits.integerMax))
    private static let text = ValueForm.Member.need("text", .text(1...Limits.messageCharactersMax))
    private static let key = ValueForm.Member.need("key", .key, "A repetition with the same key gets the first answer.")
    private static let anyKey = ValueForm.Member.may(
        "key", .key, "A repetition with the same key gets the first answer.")
    private static let on = ValueForm.Member.need("on", .flag)
    private static let user = ValueForm.Member.need("user", .user)
    private static let cursor = ValueForm.either([
        .visible(FieldLimits.cursorBytesMax), .integer(0...FieldLimits.integerMax),
    ])
    private static let after = ValueForm.Member.may("after", cursor, "The next of an earlier page.")
    private static let before = ValueForm.Member.may("before", cursor, "The next of an earlier page.")
    private static let version = ValueForm.Member.may("ifVersion", .integer(0...FieldLimits.integerMax))
    private static let path = ValueForm.Member.need("path", .documentPath)
    private static let watched = ValueForm.Member.need("path", .watchedPath)
    private static let data = ValueForm.Member.need("data", .data)
    private static let seq = ValueForm.Member.need("seq", .position)
    private static let point = ValueForm.object(
        [.need("epoch", .visible(64)), .need("seq", .integer(0...FieldLimits.integerMax))], isOpen: true)

    private static func number(_ name: String, from least: Int64) -> ValueForm.Member {
        let text = ValueForm.text(1...16, pattern: least == 0 ? "^(0|[1-9][0-9]*)$" : "^[1-9][0-9]*$")
        return .may(
            name, .either([.integer(least...FieldLimits.integerMax), text]),
            "A number, or the next of an earlier page; before and after exclude each other.")
    }

    // MARK: Commands

    private static let session: [String: Form] = [
        "hello": Form(
            [
                .may("token", .visible(FieldLimits.tokenBytesMax)),
                .may("device", .visible(FieldLimits.deviceBytesMax)),
                .may("since", point, "Where the device stands; the events after it follow."),
                .may("locale", .text(2...35, pattern: "^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$")),
                .may("client", .text(0...FieldLimits.clientCharactersMax)),
            ],
            ok: [
                .need("user", .sentence), .need("device", .sentence), .need("epoch", .sentence), seq,
                .need("heartbeat", .count), .need("limits", .open), .need("unread", .open), .need("server", .sentence),
            ]),
        "ack": Form([.need("seq", .integer(0...FieldLimits.integerMax))], ok: []),
        "ping": Form([], ok: [.need("time", .time)]),
        "presence": Form(
            [.need("watch", .list(.user, 0...Limits.presenceWatchMax))], ok: [.need("online", .list(.sentence))]),
        "focus": Form([on, .may("chat", .anyChat)], ok: []),
    ]

    private static let chats: [String: Form] = [
        "recommend": Form(
            [
                .need("to", .user), .need("product", product), .may("note", .text(0...Limits.noteCharactersMax)), key,
            ], ok: written),
        "send": Form(
            either: [[chat, text, replyTo, key], [.need("to", .user), text, replyTo, key]], ok: written),
        "edit": Form([chat, number, text, .may("rev", .integer(1...FieldLimits.integerMax)), anyKey], ok: [seq]),
        "delete": Form([chat, number, anyKey], ok: [seq]),
        "react": Form([chat, number, .need("emoji", .text(1...FieldLimits.emojiBytesMax)), on, anyKey], ok: [seq]),
        "read": Form([chat, number, anyKey], ok: [seq]),
        "archive": Form([chat, on, anyKey], ok: [seq]),
        "typing": Form([chat, on], ok: []),
        "chats": Form([before, .limit], ok: [.need("chats", .list(.open)), .next]),
        "history": Form(
            [chat, number("before", from: 1), number("after", from: 0), .limit],
            ok: [.need("messages", .list(.open)), .next]),
        "search": Form(
            [
                .need("q", .text(1...Limits.questionCharactersMax)), .may("chat", .anyChat), .may("from", .user),
                before,
                .limit,
            ], ok: [.need("messages", .list(.open)), .next]),
    ]

    private static let replyTo = ValueForm.Member.may("replyTo", .integer(1...FieldLimits.integerMax))
    private static let written: [ValueForm.Member] = [
        .need("chat", .sentence), .need("n", .count), seq, .need("at", .time),
    ]
    private static let product = ValueForm.object(
        [
            .need("id", .text(1...200, pattern: "^[A-Za-z0-9_.@/-]+$")),
            .may("title", .text(0...FieldLimits.productTitleCharactersMax)), .may("year", .integer(0...9999)),
            .may("poster", .text(0...FieldLimits.addressCharactersMax)),
        ], isOpen: true)

    private static let room = ValueForm.Member.need("chat", .text(6...69, pattern: "^room:[A-Za-z0-9_.@-]{1,64}$"))
    private static let until = ValueForm.Member.may("until", .time)
    private static let title = ValueForm.text(1...Limits.roomTitleCharactersMax)
    private static let settings: [ValueForm.Member] = [
        .may("open", .flag), .may("posting", .words(["all", "moderators"])),
        .may("history", .words(["joined", "all"])),
    ]
    private static let rooms: [String: Form] = [
        "room.create": Form(
            [.need("title", title), .need("members", .list(.user, 0...Limits.roomMembersMax - 1)), anyKey] + settings,
            ok: [.need("chat", .sentence), seq]),
        "room.update": Form(
            [room, .may("title", title), .may("pace", .integer(0...Limits.roomPaceSecondsMax)), anyKey] + settings,
            ok: [seq]),
        "room.invite": Form([room, .need("members", .list(.user, 1...Limits.roomMembersMax)), anyKey], ok: [seq]),
        "room.join": Form([room, anyKey], ok: [seq]),
        "room.leave": Form([room, anyKey], ok: [seq]),
        "room.remove": Form(
            [
                room, user, .may("ban", .flag), until, .may("reason", .text(1...Limits.roomReasonCharactersMax)),
                anyKey,
            ], ok: [seq]),
        "room.role": Form(
            [room, user, .need("role", .words(["owner", "moderator", "member"])), anyKey], ok: [seq]),
        "room.mute": Form([room, user, until, anyKey], ok: [seq]),
        "room.members": Form([room, after, .limit], ok: [.need("members", .list(.open)), .next]),
        "rooms": Form([.may("open", .flag), after, .limit], ok: [.need("rooms", .list(.open)), .next]),
    ]

    private static let topics: [String: Form] = [
        "follow": Form([.need("topic", .topic), anyKey], ok: [seq, .need("followers", .count)]),
        "unfollow": Form([.need("topic", .topic), anyKey], ok: [seq, .need("followers", .count)]),
        "following": Form(
            [.may("topic", .topic), after, .limit],
            ok: [.need("topics", .list(.sentence)), .need("count", .count), .next]),
        "followers": Form(
            [.may("topic", .topic), after, .limit],
            ok: [.need("users", .list(.sentence)), .need("count", .count), .next]),
        "block": Form([user, anyKey], ok: [seq]),
        "unblock": Form([user, anyKey], ok: [seq]),
        "blocks": Form([after, .limit], ok: [.need("users", .list(.anything)), .next]),
        "report": Form(
            [
                user, .may("chat", .anyChat), .may("n", .integer(1...FieldLimits.integerMax)),
                .may("category", .words(ReportCategory.allCases.map(\.rawValue))),
                .may("reason", .text(1...ModerationLimits.reportReasonCharactersMax)), anyKey,
            ], ok: [.need("report", .sentence), seq]),
    ]

    private static let ids = ValueForm.Member.need(
        "ids", .list(.visible(FieldLimits.notificationIDBytesMax), 1...FieldLimits.seenIDsMax))
    private static let inbox: [String: Form] = [
        "notifications": Form(
            [before, .limit, .may("unread", .flag)],
            ok: [.need("notifications", .list(.open)), .need("unread", .count), .next]),
        "notification": Form(
            [.may("notification", .visible(FieldLimits.notificationIDBytesMax))], ok: [.need("id", .sentence), seq]),
        "seen": Form(
            either: [[.need("upTo", .integer(0...FieldLimits.integerMax))], [ids]],
            ok: [.need("unread", .count), seq]),
        "snooze": Form([ids, .need("until", .time)], ok: [.need("unread", .count)]),
        "preferences": Form([.may("set", .data), anyKey], ok: []),
    ]

    private static let keys = ValueForm.object(
        [
            .need("p256dh", .visible(PushLimits.keyTextBytesMax)), .need("auth", .visible(PushLimits.keyTextBytesMax)),
        ], isOpen: true)
    private static let registration: [ValueForm.Member] = [
        .may("privacy", .words(PushPrivacy.allCases.map(\.rawValue))), .may("keys", keys),
        .may("open", .visible(FieldLimits.addressCharactersMax)),
    ]
    private static let devices: [String: Form] = [
        "device": Form(
            either: [
                [
                    .need("platform", .words(["webpush", "unifiedpush"])),
                    .need(
                        "subscription",
                        .object(
                            [.need("endpoint", .visible(PushLimits.endpointBytesMax)), .need("keys", keys)],
                            isOpen: true)),
                ] + registration,
                [
                    .need("platform", .words(["apns"])),
                    .need("token", .text(PushLimits.apnsTokenDigits, pattern: "^([0-9A-Fa-f]{2})+$")),
                    .need("topic", .visible(PushLimits.topicBytesMax)),
                    .may("environment", .words(APNsEnvironment.allCases.map(\.rawValue))),
                ] + registration,
                [.need("platform", .words(["fcm"])), .need("token", .visible(PushLimits.tokenBytesMax))] + registration,
                [
                    .need("platform", .words(["fcm"])),
                    .need(
                        "fid",
                        .text(
                            PushLimits.installationCharacters...PushLimits.installationCharacters,
                            pattern: "^[A-Za-z0-9_-]+$")),
                ] + registration,
                [.need("remove", .either([.yes, .visible(FieldLimits.deviceBytesMax)]))],
            ], ok: []),
        "devices": Form([], ok: [.need("devices", .list(.open))]),
    ]

    private static let documents: [String: Form] = [
        "get": Form([path], ok: document),
        "put": Form([path, data, version, key], ok: document),
        "patch": Form([path, data, version, key], ok: document),
        "remove": Form([path, version, key], ok: document),
        "watch": Form(
            [watched, .may("after", .visible(Limits.documentPathBytesMax)), .may("since", point)],
            ok: [.need("path", .sentence), seq]),
        "unwatch": Form([watched], ok: [.need("path", .sentence)]),
    ]

    private static let document: [ValueForm.Member] = [.need("path", .sentence), .need("version", .count), seq]
}
