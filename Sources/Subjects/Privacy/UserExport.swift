import ClientProtocol
import Execution
import JSON
package import Model
import Notifying
import PersonalData
import Services
package import Store

/// `GET /v1/users/ID/export`: everything that is kept about a user, as lines of JSON.
///
/// In it is what the user wrote, what the user could read at that moment, and what is kept about the user. Kinds that commands
/// show come from their own use cases, so no line shows more than the user could see. Not in it: who reported the user,
/// notes of moderators, and who blocks the user.
///
/// - Confinement: any
package struct UserExport: Sendable {
    let user: UserID
    /// Whether the texts of others in the user's chats are left out.
    let omitsOthers: Bool
    let at: Timestamp

    package init(of user: UserID, omitsOthers: Bool, at: Timestamp) {
        self.user = user
        self.omitsOthers = omitsOthers
        self.at = at
    }
}

/// An export under way: it reads a page, and knows what comes next, so its memory does not grow with what it exports.
///
/// Every piece must be read from the same snapshot.
///
/// - Confinement: one thread at a time
package struct UserExportRun {
    /// A part that is still to be written.
    private enum Part {
        case preferences
        case rows(ExportedLines, after: String)
        case chats(before: String?)
        case messages(ChatID, after: MessageNumber)
        case rooms(after: String?)
        /// Messages of the user's own in rooms that the user has left.
        case leftRooms(after: Int64)
        case leftMessages(Int64, after: MessageNumber)
        case notifications(before: String?)
        case end
    }

    private let export: UserExport
    private let id: StreamID
    /// In reverse order: the last one is next.
    private var parts: [Part]
    private var lines = 0
    private var bytes: [UInt8] = []

    /// Writes the first line, too.
    ///
    /// - Throws: `Refusal` when there is no such user.
    package init(_ export: UserExport, in transaction: Transaction) throws {
        self.export = export
        guard let id = try transaction.users.number(of: export.user) else { throw Refusal.noUser(export.user) }
        self.id = id
        let rows = DeclaredTables.exportedLines.map { Part.rows($0, after: "") }
        let after: [Part] = [
            .rooms(after: nil), .chats(before: nil), .leftRooms(after: 0), .notifications(before: nil), .end,
        ]
        parts = Array((rows.prefix(1) + [.preferences] + rows.dropFirst() + after).reversed())
        let seq = try transaction.log.head().value
        line("header") { line in
            line.member("format", "watchwise-export/1")
            line.member("user", export.user.text)
            line.member("at", export.at.text)
            line.member("seq", seq)
        }
    }

    /// The next lines.
    ///
    /// - Returns: nil after the last one.
    package mutating func next(in transaction: Transaction, bytesMin: Int) throws -> [UInt8]? {
        while bytes.count < bytesMin, let part = parts.popLast() { try write(part, in: transaction) }
        defer { bytes = [] }
        return bytes.isEmpty ? nil : bytes
    }

    private mutating func write(_ part: Part, in transaction: Transaction) throws {
        let context = ReadContext(
            transaction: transaction, actor: .user(id, export.user), now: export.at, collections: TopicCollections())
        switch part {
        case .preferences:
            let preferences = try ReadPreferences().perform(in: context)
            line("preferences") { preferences.write(to: &$0) }
        case .rows(let rows, let last): try write(rows, after: last, in: transaction)
        case .chats(let before): try writeChats(before: before, in: context)
        case .messages(let chat, let after): try writeMessages(of: chat, after: after, in: transaction)
        case .rooms(let after): try writeRooms(after: after, in: context)
        case .leftRooms(let after): try writeLeftRoom(after: after, in: transaction)
        case .leftMessages(let chat, let after): try writeOwnMessages(of: chat, after: after, in: transaction)
        case .notifications(let before): try writeNotifications(before: before, in: context)
        case .end:
            let count = lines + 1
            line("end") { $0.member("lines", count) }
        }
    }

    private mutating func write(_ rows: ExportedLines, after last: String, in transaction: Transaction) throws {
        let page = try transaction.exported.page(
            of: rows, of: id, export.user, after: last, omitsOthers: export.omitsOthers, limit: Limits.pageMax)
        for text in page.lines {
            bytes += text.utf8
            endLine()
        }
        if page.lines.count == Limits.pageMax { parts.append(.rows(rows, after: page.last)) }
    }

    private mutating func writeChats(before: String?, in context: ReadContext) throws {
        let page = try ListChats(ChatsCommand(largestPageBefore: before)).perform(in: context)
        if let next = page.next { parts.append(.chats(before: next)) }
        for chat in page.chats.reversed() { parts.append(.messages(chat.name, after: 0)) }
        for var chat in page.chats {
            // It stands among the messages.
            chat.last = nil
            line("chat") { chat.writeMembers(to: &$0) }
            line("read") { line in
                line.member("chat", chat.name.text)
                line.member("n", chat.read)
            }
        }
    }

    private mutating func writeMessages(
        of name: ChatID, after: MessageNumber, in transaction: Transaction
    ) throws {
        let place = try ConversationRights(transaction: transaction).memberChat(name, of: id, export.user)
        let chat = place.chat
        let found = try transaction.messages.page(
            of: chat.id, after: max(after, place.first - 1), limit: Limits.pageMax)
        guard let first = found.first?.n, let last = found.last?.n else { return }
        var reading = MessageReading(of: chat, for: id, in: transaction)
        for var message in try reading.listed(found[...]) {
            if export.omitsOthers, message.message.from != export.user {
                message.message.text = nil
                message.message.product = nil
            }
            line("message") { message.writeMembers(to: &$0) }
        }
        for reaction in try transaction.reactions.all(of: id, to: first...last, in: chat.id) {
            line("reaction") { line in
                line.member("chat", name.text)
                line.member("n", reaction.n)
                line.member("emoji", reaction.emoji)
            }
        }
        if found.count == Limits.pageMax { parts.append(.messages(name, after: last)) }
    }

    private mutating func writeRooms(after: String?, in context: ReadContext) throws {
        let page = try ListRooms(RoomsCommand(largestPageAfter: after)).perform(in: context)
        for room in page["rooms"]?.arrayValue ?? [] {
            line("room") { line in
                for (name, value) in room.objectValue?.members ?? [] { line.member(name, value) }
            }
        }
        if let next = page["next"]?.stringValue { parts.append(.rooms(after: next)) }
    }

    private mutating func writeLeftRoom(after: Int64, in transaction: Transaction) throws {
        guard let chat = try transaction.erasures.chats(of: id, after: after, limit: 1).first else { return }
        parts.append(.leftRooms(after: chat))
        if try transaction.chats.member(id, of: chat) == nil { parts.append(.leftMessages(chat, after: 0)) }
    }

    private mutating func writeOwnMessages(
        of number: Int64, after: MessageNumber, in transaction: Transaction
    ) throws {
        guard let chat = try transaction.chats.find(number: number) else { return }
        let found = try transaction.erasures.messages(of: id, in: number, after: after, limit: Limits.pageMax)
        var reading = MessageReading(of: chat, for: id, in: transaction)
        for n in found.numbers {
            guard let message = try reading.listed(n) else { continue }
            line("message") { message.writeMembers(to: &$0) }
        }
        if let last = found.last { parts.append(.leftMessages(number, after: last)) }
    }

    private mutating func writeNotifications(before: String?, in context: ReadContext) throws {
        let list = ListNotifications(NotificationsCommand(largestPageBefore: before), deviceLanguage: nil)
        let page = try list.perform(in: context)
        for (notification, isSeen) in page.notifications {
            line("notification") {
                notification.writeMembers(in: page.language, isSeen: isSeen, to: &$0, naming: "type")
            }
        }
        if let next = page.next { parts.append(.notifications(before: next)) }
    }

    private mutating func line(_ kind: String, _ members: (inout JSONWriter) -> Void) {
        var line = JSONWriter(capacity: 512)
        line.beginObject()
        line.member("kind", kind)
        members(&line)
        line.endObject()
        bytes += line.bytes
        endLine()
    }

    private mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        lines += 1
    }
}
