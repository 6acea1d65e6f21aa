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
        package let answer: ValueForm

        init(_ fields: [ValueForm.Member], ok answer: [ValueForm.Member]) {
            self.init(either: [fields], ok: answer)
        }

        init(either fields: [[ValueForm.Member]], ok answer: [ValueForm.Member]) {
            self.fields = fields
            self.answer = .object(answer)
        }
    }

    package static let byName: [String: Form] = [session, chats, rooms, topics, inbox, devices, documents].reduce(
        into: [:]) {
            all, part in all.merge(part) { first, _ in first }
        }

    // MARK: The parts that many have

    private static let chat = SharedForms.chat
    private static let number = SharedForms.number
    private static let text = ValueForm.Member.need("text", .text(1...Limits.messageCharactersMax))
    private static let key = ValueForm.Member.need("key", .key, "A repetition with the same key gets the first answer.")
    private static let anyKey = ValueForm.Member.may(
        "key", .key, "A repetition with the same key gets the first answer.")
    private static let on = SharedForms.on
    private static let user = SharedForms.user
    private static let cursor = ValueForm.either([.cursor, .integer(0...FieldLimits.integerMax)])
    private static let after = ValueForm.Member.may("after", cursor, "The next of an earlier page.")
    private static let before = ValueForm.Member.may("before", cursor, "The next of an earlier page.")
    private static let version = ValueForm.Member.may("ifVersion", .integer(0...FieldLimits.integerMax))
    private static let path = ValueForm.Member.need("path", .documentPath)
    private static let watched = ValueForm.Member.need("path", .watchedPath)
    private static let data = ValueForm.Member.need("data", .data)
    private static let seq = SharedForms.seq
    private static let ids = ValueForm.Member.need(
        "ids", .list(.visible(FieldLimits.notificationIDBytesMax), 1...FieldLimits.seenIDsMax))
    private static let point = ValueForm.object(
        [.need("epoch", .visible(64)), .need("seq", .integer(0...FieldLimits.integerMax))], isOpen: true)

    /// A field that excludes another one of the same command.
    private static func without(_ name: String) -> ValueForm.Member { .may(name, .null) }

    private static func number(_ name: String, from least: Int64) -> ValueForm.Member {
        let text = ValueForm.text(1...16, pattern: least == 0 ? "^(0|[1-9][0-9]*)$" : "^[1-9][0-9]*$")
        return .may(
            name, .either([.integer(least...FieldLimits.integerMax), text]),
            "A number, or the next of an earlier page.")
    }

    // MARK: Commands

    private static let session: [String: Form] = [
        "hello": Form(
            [
                .may("token", .visible(FieldLimits.tokenBytesMax)),
                .may("device", .visible(FieldLimits.deviceBytesMax)),
                .may("since", point, "Where the device stands; the events after it follow."),
                .may("locale", .languageTag),
                .may("client", .text(0...FieldLimits.clientCharactersMax)),
            ],
            ok: [
                user, .need("device", .visible(FieldLimits.deviceBytesMax)), .may("session", .id),
                .need("epoch", .visible(64)), seq, .need("heartbeat", .count),
                .need(
                    "limits",
                    .object([
                        .need("messageBytes", .count), .need("commandsPerSecond", .count), .need("follows", .count),
                    ])), .need("unread", .object(SharedForms.counts)), .need("server", .sentence), .need("time", .time),
                .may("push", .object([.need("webpush", .sentence)])),
            ]),
        "ack": Form([.need("seq", .integer(0...FieldLimits.integerMax))], ok: []),
        "ping": Form([], ok: [.need("time", .time)]),
        "presence": Form(
            [.need("watch", .list(.user, 0...Limits.presenceWatchMax))], ok: [.need("online", .list(.user))]),
        "focus": Form([on, .may("chat", .anyChat)], ok: []),
    ]

    private static let chats: [String: Form] = [
        "recommend": Form(
            [
                .need("to", .user), .need("product", product), .may("note", .text(0...Limits.noteCharactersMax)), key,
            ], ok: written),
        "send": Form(
            either: [
                [chat, without("to"), text, replyTo, key], [.need("to", .user), without("chat"), text, replyTo, key],
            ], ok: written),
        "edit": Form(
            [chat, number, text, .may("rev", .messageNumber), anyKey], ok: [seq, .need("rev", .messageNumber)]),
        "delete": Form([chat, number, anyKey], ok: [seq]),
        "react": Form([chat, number, .need("emoji", .text(1...FieldLimits.emojiBytesMax)), on, anyKey], ok: [seq]),
        "read": Form([chat, number, anyKey], ok: [seq]),
        "archive": Form(
            either: [[chat, without("ids"), on, anyKey], [ids, without("chat"), without("on"), anyKey]],
            ok: [.may("unread", .count, "Of notifications, with ids."), seq]),
        "typing": Form([chat, on], ok: []),
        "chats": Form([before, .limit], ok: [.need("chats", .list(SharedForms.listedChat)), .next]),
        "history": Form(
            either: [
                [chat, number("before", from: 1), without("after"), .limit],
                [chat, without("before"), number("after", from: 0), .limit],
            ], ok: [.need("messages", .list(SharedForms.listedMessage)), .next]),
        "search": Form(
            [
                .need("q", .text(1...Limits.questionCharactersMax)), .may("chat", .anyChat), .may("from", .user),
                before, .limit,
            ],
            ok: [
                .need("messages", .list(SharedForms.foundMessage)), .next, .need("upTo", .position),
                .may("building", .yes, "Older messages are still missing."),
            ]),
    ]

    private static let replyTo = ValueForm.Member.may("replyTo", .messageNumber)
    private static let written: [ValueForm.Member] = [
        chat, number, seq, SharedForms.at,
    ]
    private static let product = ValueForm.object(
        [
            .need("id", .productID), .mayBeNull("title", .text(0...FieldLimits.productTitleCharactersMax)),
            .mayBeNull("year", .integer(0...9999)),
            .mayBeNull("poster", .text(0...FieldLimits.addressCharactersMax)),
        ], isOpen: true)

    private static let room = ValueForm.Member.need("chat", .room)
    private static let until = ValueForm.Member.may("until", .time)
    private static let title = ValueForm.line(1...Limits.roomTitleCharactersMax)
    private static let settings: [ValueForm.Member] = [
        .may("open", .flag), .may("posting", .words(["all", "moderators"])),
        .may("history", .words(["joined", "all"])),
    ]
    private static let rooms: [String: Form] = [
        "room.create": Form(
            [.need("title", title), .need("members", .list(.user, 0...Limits.roomMembersMax - 1)), anyKey] + settings,
            ok: [room, seq]),
        "room.update": Form(
            [room, .may("title", title), .may("pace", .integer(0...Limits.roomPaceSecondsMax)), anyKey] + settings,
            ok: [seq]),
        "room.invite": Form([room, .need("members", .list(.user, 1...Limits.roomMembersMax)), anyKey], ok: [seq]),
        "room.join": Form([room, anyKey], ok: [seq]),
        "room.leave": Form([room, anyKey], ok: [seq]),
        "room.remove": Form(
            [
                room, user, .may("ban", .flag), until, .may("reason", .line(1...Limits.roomReasonCharactersMax)),
                anyKey,
            ], ok: [seq]),
        "room.role": Form(
            [room, user, .need("role", .words(["owner", "moderator", "member"])), anyKey], ok: [seq]),
        "room.mute": Form([room, user, until, anyKey], ok: [seq]),
        "room.members": Form(
            [room, after, .limit], ok: [.need("members", .list(SharedForms.roomMember)), .next, .need("count", .count)]),
        "rooms": Form(
            [.may("open", .flag), after, .limit], ok: [.need("rooms", .list(.object(SharedForms.listedRoom))), .next]),
    ]

    private static let topics: [String: Form] = [
        "follow": Form([.need("topic", .topic), anyKey], ok: [seq, .need("followers", .count)]),
        "unfollow": Form([.need("topic", .topic), anyKey], ok: [seq, .need("followers", .count)]),
        "following": Form(
            [
                .may("topic", .topic),
                .may(
                    "after", .either([.visible(FieldLimits.cursorBytesMax), .integer(0...FieldLimits.integerMax)]),
                    "The next of an earlier page."), .limit,
            ],
            ok: [.need("topics", .list(.topic)), .need("count", .count), .next]),
        "followers": Form(
            [.may("topic", .topic), after, .limit],
            ok: people),
        "block": Form([user, anyKey], ok: [seq]),
        "unblock": Form([user, anyKey], ok: [seq]),
        "blocks": Form([after, .limit], ok: people),
        "report": Form(
            either: [
                [user, chat, .may("n", .messageNumber)] + complaint,
                [user, .may("chat", .anyChat), without("n")] + complaint,
            ], ok: [.need("report", .id), seq]),
    ]
    private static let complaint: [ValueForm.Member] = [
        .may("category", .words(ReportCategory.allCases.map(\.rawValue))),
        .may("reason", .text(1...ModerationLimits.reportReasonCharactersMax)), anyKey,
    ]
    private static let people: [ValueForm.Member] = [
        .need("users", .list(.user)), .need("count", .count), .next,
    ]

    private static let inbox: [String: Form] = [
        "notifications": Form(
            [before, .limit, .may("unread", .flag)],
            ok: [
                .need("notifications", .list(.object(SharedForms.listedNotification))), .need("unread", .count), .next,
            ]),
        "notification": Form(
            [
                .may(
                    "notification", .visible(FieldLimits.notificationIDBytesMax),
                    "Without it, the id of the command names the notification.")
            ], ok: SharedForms.listedNotification),
        "seen": Form(
            either: [
                [.need("upTo", .integer(0...FieldLimits.integerMax)), without("ids")], [ids, without("upTo")],
            ],
            ok: [.need("unread", .count), seq]),
        "snooze": Form([ids, .need("until", .time)], ok: [.need("unread", .count), seq, .need("until", .time)]),
        "preferences": Form(
            [.may("set", SharedForms.preferencesPatch), anyKey], ok: SharedForms.preferenceMembers),
    ]

    private static let keys = ValueForm.object(
        [
            .need("p256dh", .visible(PushLimits.keyTextBytesMax)), .need("auth", .visible(PushLimits.keyTextBytesMax)),
        ], isOpen: true)
    private static let privacy = PushPrivacy.allCases.map(\.rawValue)
    private static let open = ValueForm.Member.may("open", .visible(FieldLimits.addressCharactersMax))
    private static let registration: [ValueForm.Member] = [
        .may("privacy", .words(privacy)), .may("keys", keys), open,
    ]
    private static let openly: [ValueForm.Member] = [
        .may("privacy", .words(privacy.filter { $0 != PushPrivacy.sealed.rawValue })), .may("keys", keys), open,
    ]
    private static let sealed: [ValueForm.Member] = [
        .need("privacy", .words([PushPrivacy.sealed.rawValue])), .need("keys", keys), open,
    ]
    private static let apns: [ValueForm.Member] = [
        .need("platform", .words(["apns"])),
        .need("token", .text(PushLimits.apnsTokenDigits, pattern: "^([0-9A-Fa-f]{2})+$")),
        .need("topic", .visible(PushLimits.topicBytesMax)),
        .may("environment", .words(APNsEnvironment.allCases.map(\.rawValue))),
    ]
    private static let fcm: [ValueForm.Member] = [
        .need("platform", .words(["fcm"])), .need("token", .visible(PushLimits.tokenBytesMax)), without("fid"),
    ]
    private static let installation: [ValueForm.Member] = [
        .need("platform", .words(["fcm"])), without("token"),
        .need(
            "fid",
            .text(
                PushLimits.installationCharacters...PushLimits.installationCharacters, pattern: "^[A-Za-z0-9_-]+$")),
    ]
    private static let deviceID = ValueForm.Member.need("device", .visible(FieldLimits.deviceBytesMax))
    private static let subscription: [ValueForm.Member] = [
        .need("platform", .words(["webpush", "unifiedpush"])),
        .need(
            "subscription",
            .object([.need("endpoint", .visible(PushLimits.endpointBytesMax)), .need("keys", keys)], isOpen: true)),
    ]
    private static let removal: [ValueForm.Member] = [
        .need("remove", .either([.yes, .visible(FieldLimits.deviceBytesMax)]))
    ]
    private static let devices: [String: Form] = [
        "device": Form(
            either: [
                subscription + registration, apns + openly, apns + sealed, fcm + openly, fcm + sealed,
                installation + openly, installation + sealed, removal,
            ], ok: [deviceID]),
        "devices": Form(
            [],
            ok: [
                .need(
                    "devices",
                    .list(
                        .object([
                            deviceID, .need("platform", .words(PushPlatform.allCases.map(\.rawValue))),
                            SharedForms.at, .may("lastPush", .time), .may("problem", .sentence),
                        ])))
            ]),
    ]

    private static let documents: [String: Form] = [
        "get": Form([path], ok: place + [data]),
        "put": Form([path, data, version, key], ok: place + writing),
        "patch": Form([path, data, version, key], ok: place + writing + [.may("data", .data)]),
        "remove": Form([path, version, key], ok: place + writing),
        "watch": Form(
            either: [
                [watched, .may("after", .visible(Limits.documentPathBytesMax)), without("since")],
                [watched, .may("since", point), without("after")],
            ], ok: SharedForms.watched),
        "unwatch": Form([watched], ok: [watched]),
    ]

    private static let place: [ValueForm.Member] = [path, .need("version", .count), seq]
    private static let writing: [ValueForm.Member] = [
        .may("topic", .topic, "Where the document is a follow."), .may("warnings", .list(.sentence, 1...Int.max)),
    ]
}
