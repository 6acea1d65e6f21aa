import Model

/// The fields of a command beside `id` and `type`, and the members of its answer, from which the AsyncAPI document is made.
/// A test holds it against the decoder, example by example: both have the same fields, take the same values and refuse the
/// same.
///
/// - Confinement: any
package struct CommandForm: Sendable {
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

// MARK: The parts that several forms have

extension CommandForm {
    /// The answer to a message that was written.
    static let written: [ValueForm.Member] = [.chat, .number, .seq, .at]
    /// An answer that lists people.
    static let people: [ValueForm.Member] = [.need("users", .list(.person)), .need("count", .count), .next]
    /// The answer about a document.
    static let document: [ValueForm.Member] = [.path, .need("version", .count), .seq]
    /// Further members of the answer to a write of a document.
    static let documentWrite: [ValueForm.Member] = [
        .may("topic", .topic, "Where the document is a follow."), .may("warnings", .list(.sentence, 1...Int.max)),
    ]
    /// The people whom a command wants in a room, by their state now; a list without anybody is left out.
    static let brought: [ValueForm.Member] = [
        .may("members", .list(.user, 1...RoomLimits.membersMax), "Those that are members now."),
        .may("invited", .list(.user, 1...RoomLimits.membersMax), "Those that may accept or decline."),
        .may("leftOut", .list(.user, 1...RoomLimits.membersMax), "Those that are neither."),
    ]
    static let roomSettings: [ValueForm.Member] = [
        .may("open", .flag), .may("posting", .words(["all", "moderators"])),
        .may("history", .words(["joined", "all"])),
    ]
}

extension ValueForm {
    static let roomTitle = line(1...RoomLimits.titleCharactersMax)
    /// Where a device stands.
    static let resumePoint = object(
        [.need("epoch", .visible(64)), .need("seq", .integer(0...FieldLimits.integerMax))], isOpen: true)
    fileprivate static let page = either([.cursor, .integer(0...FieldLimits.integerMax)])
}

extension ValueForm.Member {
    static let chat = need("chat", .anyChat)
    static let number = need("n", .messageNumber)
    static let user = need("user", .user)
    static let on = need("on", .flag)
    static let at = need("at", .time)
    static let seq = need("seq", .position)
    static let messageText = need("text", .text(1...Limits.messageCharactersMax))
    static let replyTo = may("replyTo", .messageNumber)
    static let key = need("key", .key, "A repetition with the same key gets the first answer.")
    static let anyKey = may("key", .key, "A repetition with the same key gets the first answer.")
    static let pageAfter = may("after", .page, "The next of an earlier page.")
    static let pageBefore = may("before", .page, "The next of an earlier page.")
    static let ids = need("ids", .list(.visible(FieldLimits.notificationIDBytesMax), 1...FieldLimits.seenIDsMax))
    static let room = need("chat", .room)
    static let until = may("until", .time)
    static let device = need("device", .visible(FieldLimits.deviceBytesMax))
    static let path = need("path", .documentPath)
    static let watchedPath = need("path", .watchedPath)
    static let data = need("data", .data)
    static let ifVersion = may("ifVersion", .integer(0...FieldLimits.integerMax))

    /// A field that excludes another one of the same command.
    static func without(_ name: String) -> ValueForm.Member { .may(name, .null) }
}
