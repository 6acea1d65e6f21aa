import Model

/// The forms of what stands in answers and events alike: messages, notifications, rooms, documents, counts, preferences.
///
/// They are closed: a member that is not named here is a mistake of the server, which a test finds.
///
/// - Confinement: any
package enum SharedForms {
    package static let seq = ValueForm.Member.seq
    static let chat = ValueForm.Member.chat
    static let number = ValueForm.Member.number
    static let user = ValueForm.Member.need("user", .person)
    static let on = ValueForm.Member.on
    static let at = ValueForm.Member.at
    static let key = ValueForm.Member.may("key", .key, "The key of the command that caused it.")
    /// `data`, which is null where the document is gone.
    static let dataOrNull = ValueForm.Member.need("data", .either([.data, .null]))

    // MARK: Messages

    package static let product = ValueForm.object([
        .need("id", .productID), .may("title", .text(0...FieldLimits.productTitleCharactersMax)),
        .may("year", .integer(0...9999)), .may("poster", .text(0...FieldLimits.addressCharactersMax)),
    ])
    /// The members of a message that events have as well.
    static let message: [ValueForm.Member] = [
        .need("from", .person), at, key, .may("text", .sentence), .may("product", product),
        .may("replyTo", .messageNumber), .may("rev", .messageNumber), .may("editedAt", .time), .may("deleted", .yes),
        .may(
            "reactions",
            .list(
                .object([
                    .need("emoji", .text(1...FieldLimits.emojiBytesMax)), .need("count", .integer(1...Int64.max)),
                    .need("mine", .flag),
                ]), 1...Limits.reactionKindsMax)),
    ]
    private static let listed: [ValueForm.Member] = [seq, chat, number] + message + [.may("seen", .flag)]
    /// An entry of `history`, and `last` of `chats`.
    package static let listedMessage = ValueForm.object(listed)
    /// An entry of `search`.
    static let foundMessage = ValueForm.object(
        listed + [
            .need(
                "marks", .list(.list(.integer(0...Int64.max), 2...2)),
                "Where the words stand in the text: start and length in UTF-16 code units.")
        ])

    // MARK: Chats and rooms

    private static let role = ValueForm.words(RoomRole.allCases.map(\.rawValue))
    private static let settings: [ValueForm.Member] = [
        .need("title", .text(1...RoomLimits.titleCharactersMax)), .need("open", .flag),
        .need("posting", .words(RoomPosting.allCases.map(\.rawValue))),
        .need("history", .words(RoomHistory.allCases.map(\.rawValue))),
        .need("pace", .integer(0...RoomLimits.paceSecondsMax)), .need("members", .count),
    ]
    /// `room` in the event of that name.
    static let room = ValueForm.object(settings + [.may("role", role)])
    /// The members of an entry of `rooms`.
    package static let listedRoom: [ValueForm.Member] =
        [.need("chat", .room)] + settings + [.need("created", .time), .may("role", role)]
    /// An entry of `room.members`.
    package static let roomMember = ValueForm.object([
        user, .need("role", role), .need("joined", .time), .may("muted", .time),
    ])
    /// An entry of `room.invitations`, and the members of `room.invited` beside `seq`.
    static let invitation: [ValueForm.Member] = [
        .need("chat", .room), .need("title", .text(1...RoomLimits.titleCharactersMax)), .need("by", .user), at,
        .need("expires", .time),
    ]
    /// An entry of `chats`.
    static let listedChat = ValueForm.either([
        .object(
            [chat, .need("with", .person), .may("profile", .named(.anything, least: 1), "Of the person's document.")]
                + standing),
        .object(
            [
                .need("chat", .room), .need("title", .text(1...RoomLimits.titleCharactersMax)), .need("role", role),
                .need("members", .count),
            ] + standing),
    ])
    private static let standing: [ValueForm.Member] = [
        .may("last", listedMessage), .need("unread", .count), .need("read", .count), .may("peerRead", .count),
        .need("muted", .flag), .need("archived", .flag),
    ]

    // MARK: Notifications

    package static let notificationID = ValueForm.text(2...FieldLimits.notificationIDBytesMax, pattern: "^[nb][0-9]+$")
    /// The members of a notification beside `seq`.
    static let notification: [ValueForm.Member] =
        [.need("id", notificationID), .need("kind", .sentence)] + notificationTexts
    private static let notificationTexts: [ValueForm.Member] = [
        .need("level", .words(InterruptionLevel.allCases.map(\.rawValue))), .need("title", .sentence),
        .need("body", .sentence), .need("data", .data), .need("topic", place),
        .may("topics", .list(place, 2...Int.max)),
        at, .may("expires", .time), .may("collapse", .sentence), .may("alert", .no),
        .may("reason", .words(Silence.allCases.map(\.rawValue)), "Why it does not interrupt."),
    ]
    private static let place = ValueForm.either([.words(["everyone", "online"]), .storedTopic])
    /// The members of an entry of `notifications`.
    package static let listedNotification: [ValueForm.Member] = [seq] + notification + [.need("seen", .flag)]

    /// `chats` and `notifications`.
    static let counts: [ValueForm.Member] = [.need("chats", .count), .need("notifications", .count)]

    // MARK: Documents

    /// The members of a document as lists have it, also one that is gone.
    static let listedDocument: [ValueForm.Member] = [
        .need("path", .documentPath), .need("version", .count), seq, dataOrNull,
    ]
    /// The answer of `watch`, which is the event `documents` of a stream, too.
    static let watched: [ValueForm.Member] = [
        .need("path", .watchedPath), seq, .may("reset", .words(Event.ResetReason.allCases.map(\.rawValue))),
        .need("documents", .list(.object(listedDocument))), .next,
    ]

    // MARK: Preferences

    /// The whole object of preferences.
    package static let preferences = ValueForm.object(preferenceMembers)
    static let preferenceMembers: [ValueForm.Member] = [
        .need("locale", .either([.languageTag, .null])), .need("timeZone", .either([.sentence, .null])),
        .need("quietHours", .either([.object(quietHours), .null])), .need("mute", .object(mutes)),
        .need("levels", levels), .need("kinds", .named(.object(kind), names: kindName)),
        .need("digest", .named(digest, names: digestName)),
        .need("presence", .words(["contacts", "nobody"])), .need("invites", .words(invites)),
    ]
    /// A merge patch of them: null removes what it names.
    package static let preferencesPatch = ValueForm.object([
        .mayBeNull("locale", .languageTag), .mayBeNull("timeZone", .text(1...64, pattern: "^[A-Za-z0-9_+/-]+$")),
        .mayBeNull("quietHours", .object(quietHours.map(\.inPatch))),
        .mayBeNull("mute", .object(mutes.map(\.inPatch))), .mayBeNull("levels", levels),
        .mayBeNull("kinds", .named(.either([.object(kind.map(\.inPatch)), .null]), names: kindName)),
        .mayBeNull("digest", .named(.either([digest, .null]), names: digestName)),
        .mayBeNull("presence", .words(["contacts", "nobody"])), .mayBeNull("invites", .words(invites)),
    ])

    private static let invites = ["contacts", "nobody", "all"]
    private static let time = ValueForm.text(5...5, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$")
    private static let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let kindName = ValueForm.text(1...PreferenceLimits.kindCharactersMax, pattern: "^[a-z0-9.-]+$")
    private static let quietHours: [ValueForm.Member] = [
        .need("from", time), .need("to", time), .may("days", .list(.words(days), 0...PreferenceLimits.kindsMax)),
        .may("allow", .list(kindName, 0...PreferenceLimits.kindsMax)), .may("summary", .flag),
    ]
    private static let mute = ValueForm.either([.yes, .time])
    private static let mutes: [ValueForm.Member] = [
        .may("all", mute), .may("topics", .named(mute, names: .either([.storedTopic, .words(["everyone"])]))),
        .may("kinds", .named(mute, names: kindName)), .may("chats", .named(mute, names: .anyChat)),
    ]
    private static let levels = ValueForm.list(
        .words(InterruptionLevel.allCases.filter { $0 != .passive }.map(\.rawValue)), 0...PreferenceLimits.kindsMax)
    private static let kind: [ValueForm.Member] = [
        .may("deliver", .words(["alert", "silent"])), .may("levels", levels),
    ]
    private static let digestName = ValueForm.either([
        kindName, .text(9...239, pattern: "^topic:(\(ValueForm.anyStoredTopic))$"),
    ])
    private static let digest = ValueForm.either([
        .text(0...Int.max, pattern: "^(daily|weekly (\(days.joined(separator: "|")))) ([01][0-9]|2[0-3]):[0-5][0-9]$"),
        .object([.need("every", .integer(PreferenceLimits.digestSeconds))]),
    ])
}

extension ValueForm.Member {
    /// The member as a merge patch may have it: absent, null, or in part.
    fileprivate var inPatch: ValueForm.Member {
        guard case .named(let form, _, let names) = form else { return .mayBeNull(name, form) }
        return .mayBeNull(name, .named(.either([form, .null]), names: names))
    }
}

extension ValueForm {
    static let messageNumber = integer(1...FieldLimits.integerMax)
    static let productID = text(1...200, pattern: "^[A-Za-z0-9_.@/-]+$")
    static let room = text(6...69, pattern: "^room:[A-Za-z0-9_.@-]{1,64}$")
    package static let languageTag = text(2...35, pattern: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$")
    /// A command's id as the reply repeats it; null where there was none that could be read.
    package static let requestID = either([.text(1...Int.max), .fraction, .null])
}
