import JSON
import Model

/// Reads a member as one of the model's identifiers.
extension Field {
    func userID() throws(Refusal) -> UserID { try form(UserID.form) { UserID($0) } }
    /// Somebody who may be here already, and whom the sender shuts out, lets go or looks at.
    func admittedUserID() throws(Refusal) -> UserID { try form(UserID.form) { UserID(admitted: $0) } }
    /// The author of messages: an erased person has a pseudonym.
    func author() throws(Refusal) -> UserID { try form(UserID.form) { UserID(stored: $0) } }
    func chatID() throws(Refusal) -> ChatID { try form(ChatID.form) { ChatID($0) } }
    /// The id of a room.
    func roomID() throws(Refusal) -> ChatID {
        try form("room:ID") { text in
            guard let chat = ChatID(text), chat.isRoom else { return nil }
            return chat
        }
    }

    func time() throws(Refusal) -> Timestamp { try form("a time such as 2026-11-21T10:00:00Z") { Timestamp($0) } }
    func roomTitle() throws(Refusal) -> String {
        let title = try line(1...RoomLimits.titleCharactersMax)
        guard ShownText.isVisible(title) else { throw refusal(ShownText.rule) }
        return title
    }
    func roomPosting() throws(Refusal) -> RoomPosting { try form(RoomPosting.form) { RoomPosting(rawValue: $0) } }
    func roomHistory() throws(Refusal) -> RoomHistory { try form(RoomHistory.form) { RoomHistory(rawValue: $0) } }
    func roomRole() throws(Refusal) -> RoomRole { try form(RoomRole.form) { RoomRole(rawValue: $0) } }
    /// A topic to follow.
    func topic() throws(Refusal) -> Topic {
        try form(Topic.form) { text in Topic(text).flatMap { $0.isAddressable ? $0 : nil } }
    }
    /// A topic that may be followed already.
    func admittedTopic() throws(Refusal) -> Topic { try form(Topic.form) { Topic($0) } }
    func key() throws(Refusal) -> WriteKey { try form(WriteKey.form) { WriteKey($0) } }
    /// One character as people count them, which shows something.
    func grapheme() throws(Refusal) -> String {
        let text = try string()
        guard text.count == 1, !EmojiForm.bare(text).isEmpty, text.utf8.count <= FieldLimits.emojiBytesMax,
            !text.unicodeScalars.contains(where: {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            })
        else { throw refusal("must be one emoji of at most \(FieldLimits.emojiBytesMax) bytes") }
        return text
    }

    func languageTag() throws(Refusal) -> LanguageTag { try form(LanguageTag.form) { LanguageTag($0) } }
    func messageNumber() throws(Refusal) -> MessageNumber { try integer(1...FieldLimits.integerMax) }
    func position() throws(Refusal) -> Position { Position(try integer(0...FieldLimits.integerMax)) }
    func deviceID() throws(Refusal) -> String { try visibleASCII(bytesMax: FieldLimits.deviceBytesMax) }

    /// The ids of notifications, at least one.
    func notificationIDs() throws(Refusal) -> [String] {
        var ids: [String] = []
        for element in try elements(1...FieldLimits.seenIDsMax) {
            ids.append(try element.visibleASCII(bytesMax: FieldLimits.notificationIDBytesMax))
        }
        return ids
    }

    /// Different users.
    ///
    /// - Parameters:
    ///   - count: of the list, repeats among it.
    ///   - isLook: whether they are only looked at, so that they may be here already.
    func users(_ count: ClosedRange<Int>, isLook: Bool = false) throws(Refusal) -> [UserID] {
        var seen: Set<UserID> = []
        var users: [UserID] = []
        for element in try elements(count) {
            let user = try isLook ? element.admittedUserID() : element.userID()
            if seen.insert(user).inserted { users.append(user) }
        }
        return users
    }

    func documentPath() throws(Refusal) -> DocumentPath {
        let text = try string()
        do throws(DocumentPath.Problem) {
            return try DocumentPath(text)
        } catch {
            throw refusal("is not a document path: \(error.message)")
        }
    }

    func product() throws(Refusal) -> Product {
        let fields = try object()
        let id = try fields.required("id")
        let title = try fields.optional("title")?.text(0...FieldLimits.productTitleCharactersMax)
        let year = try fields.optional("year")?.integer(0...9999)
        let poster = try fields.optional("poster")?.text(0...FieldLimits.addressCharactersMax)
        return try id.form(Product.idForm) { Product(id: $0, title: title, year: year.map { Int($0) }, poster: poster) }
    }

    /// The `next` of an earlier page: a string, or a number if the server gave one.
    func cursor() throws(Refusal) -> String {
        if token.kind == .number { return String(try integer(0...FieldLimits.integerMax)) }
        return try visibleASCII(bytesMax: FieldLimits.cursorBytesMax)
    }

    /// A number, or the `next` of an earlier page, which is a number written as text.
    func numberOrCursor(from least: Int64) throws(Refusal) -> Int64 {
        let range = least...FieldLimits.integerMax
        guard token.kind != .number, let number = Int64(try string()), range.contains(number) else {
            return try integer(range)
        }
        return number
    }
}

extension Fields {
    /// The wanted number of entries in a page.
    func limit() throws(Refusal) -> Int {
        guard let field = optional("limit") else { return Limits.pageDefault }
        return Int(try field.integer(1...Int64(Limits.pageMax)))
    }
}
