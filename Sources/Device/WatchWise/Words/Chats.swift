import Foundation
import JSON
import Session

/// The user's chats, those with the newest messages first.
@WatchWiseActor
public struct Chats {
    let device: Device

    /// The chats, now and after each change.
    /// - Parameter limit: How many, until ``Snapshots/more(_:)`` shows further ones.
    public nonisolated func snapshots(limit: Int = 200) -> Snapshots<ChatItem> {
        Snapshots(device, .chats(limit: limit))
    }

    /// A page of the chats that the store has.
    /// - Parameter before: The `next` of the page before.
    public func list(before: Int64? = nil, limit: Int = 50) throws -> (chats: [ChatItem], next: Int64?) {
        let rows = try device.store.read { try $0.newest(.chats, below: before ?? .max, limit: limit) }
        return (rows.compactMap(ChatItem.init), rows.count == limit ? rows.last?.integer("seq") : nil)
    }
}

/// One chat: with a person, or a room.
@WatchWiseActor
public struct Chat {
    let device: Device
    public let id: String

    /// The newest messages, and those that wait. While somebody reads it, it is the chat on the screen.
    /// - Parameter limit: How many, until ``Snapshots/more(_:)`` shows further ones.
    public nonisolated func snapshots(limit: Int = 50) -> Snapshots<Message> {
        Snapshots(device, .messages(of: id, limit: limit))
    }

    /// A chat of two is opened by its first message.
    private var address: JSONObject {
        guard !id.hasPrefix("room:") else { return ["chat": .string(id)] }
        return ["to": .string(ChatAddress.other(in: id, than: device.user) ?? device.user)]
    }

    /// Sends a text.
    /// - Parameter replyTo: The number of the message that it answers.
    @discardableResult
    public func send(_ text: String, replyTo: Int64? = nil) throws -> Write {
        device.typings.end(in: id)
        var fields = address.with(["text": .string(text)])
        fields["replyTo"] = replyTo.map { .integer($0) }
        return try device.keep("send", fields)
    }

    /// Recommends a film or another product.
    @discardableResult
    public func recommend(_ product: Product, note: String? = nil) throws -> Write {
        var fields = address.with(["product": product.json])
        fields["note"] = note.map { .string($0) }
        return try device.keep("recommend", fields)
    }

    /// Replaces the text of one's own message.
    @discardableResult
    public func edit(_ n: Int64, _ text: String) throws -> Write {
        try device.keep("edit", ["chat": .string(id), "n": .integer(n), "text": .string(text)])
    }

    /// Deletes a message for all.
    @discardableResult
    public func delete(_ n: Int64) throws -> Write {
        try device.keep("delete", ["chat": .string(id), "n": .integer(n)])
    }

    /// Adds a reaction to a message, or takes it back.
    @discardableResult
    public func react(_ n: Int64, _ emoji: String, on: Bool = true) throws -> Write {
        try device.keep(
            "react", ["chat": .string(id), "n": .integer(n), "emoji": .string(emoji), "on": .bool(on)])
    }

    /// Everything up to a number is read.
    @discardableResult
    public func read(_ n: Int64) throws -> Write {
        try device.keep("read", ["chat": .string(id), "n": .integer(n)])
    }

    /// Puts the chat aside until its next message, or takes it out again.
    @discardableResult
    public func archive(_ on: Bool = true) throws -> Write {
        try device.keep("archive", ["chat": .string(id), "on": .bool(on)])
    }

    /// Says that the user types. To be called with each key: it is said every three seconds at most, and ends five seconds after the last
    /// call, or with ``send(_:replyTo:)``. It concerns the moment: without a connection nothing happens.
    public func typing(_ on: Bool = true) { if on { device.typings.press(in: id) } else { device.typings.end(in: id) } }

    /// Notes that a person has opened the chat: more of it is kept on the device.
    public func opened() throws {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        try device.store.write { try $0.apply(.note(StoreTrimming.openedName(id), .integer(now))) }
    }

    /// A page of messages in the order of their numbers: from the store when it has them all, else from the server.
    /// - Returns: the messages, and the number from which the next page goes on, in the same direction.
    /// - Throws: ``WatchWiseError`` when the server is needed and not there.
    public func history(before: Int64? = nil, after: Int64? = nil, limit: Int = 50) async throws -> (
        messages: [Message], next: Int64?
    ) {
        if let page = try storedPage(before: before, after: after, limit: limit) { return page }
        let answer = try await device.fetchHistory(of: id, before: before, after: after, limit: Int64(limit))
        let rows = answer.rows("messages")
        let edge = after == nil ? rows.first?.integer("n") : rows.last?.integer("n")
        return (rows.compactMap(Message.init), answer["next"] == nil ? nil : edge)
    }

    private func storedPage(before: Int64?, after: Int64?, limit: Int) throws -> (messages: [Message], next: Int64?)? {
        let (rows, chat) = try device.store.read { reader in
            let rows = try reader.messages(
                of: id, from: after.map { $0 + 1 } ?? .min, to: before.map { $0 - 1 } ?? .max, limit: limit,
                isFromEnd: after == nil)
            return (rows, try reader.row(RowKey(.chats, id)))
        }
        guard let chat, let lowest = rows.first?.integer("n"), let highest = rows.last?.integer("n") else { return nil }
        let top = chat.integer("top")
        let first = after.map { $0 + 1 } ?? lowest
        let last = after == nil ? before.map { $0 - 1 } ?? top : highest
        let isWhole = rows.count == limit || (after == nil ? first == 1 : last == top)
        guard isWhole, !MessageGaps(chat).ranges.contains(where: { $0.lowerBound <= last && $0.upperBound >= first })
        else { return nil }
        let next: Int64? = after == nil ? (lowest > 1 ? lowest : nil) : (highest < top ? highest : nil)
        return (rows.compactMap(Message.init), next)
    }
}
