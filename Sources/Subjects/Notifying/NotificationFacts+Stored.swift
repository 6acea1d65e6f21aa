import JSON
package import Model
package import Store

extension NotificationFacts {
    /// The facts of a notification that is stored, or about to be stored.
    convenience init(_ entry: NotificationEntry, isPersonal: Bool, in transaction: Transaction) throws {
        let mutedTogether =
            entry.needsAllMuted
            ? try ([entry.topic] + entry.others).compactMap { try transaction.streams.find(named: $0)?.id } : []
        self.init(
            kind: entry.kind,
            level: entry.level,
            topic: entry.topic,
            otherTopics: entry.others,
            mutedTogether: mutedTogether,
            chat: Self.chat(of: entry),
            at: entry.at,
            silence: entry.silence,
            isPersonal: isPersonal,
            endsQuietHours: entry.kind == Self.digestKind
                && entry.collapse == Digest.collapse(of: .quietHours)
        )
    }

    /// The chat that a notification is about: the chat of its document, or the member `chat` of its data.
    package static func chat(of entry: NotificationEntry) -> ChatID? {
        if let path = entry.path {
            if path.hasPrefix("chats/") {
                let segments = path.split(separator: "/", maxSplits: 2)
                if segments.count > 1, let chat = ChatID(String(segments[1])) { return chat }
            } else if path.hasPrefix("recommendations/"), let dash = path.lastIndex(of: "-"),
                let slash = path.firstIndex(of: "/"), slash < dash,
                let chat = ChatID(String(path[path.index(after: slash)..<dash]))
            {
                return chat
            }
        }
        return chat(inData: Array(entry.data.utf8))
    }

    private static func chat(inData data: [UInt8]) -> ChatID? {
        var reader = JSONReader(data, depthMax: 64)
        do {
            try reader.beginObject()
            while let name = try reader.nextName() {
                let token = try reader.skip()
                if name == "chat" { return token.kind == .string ? ChatID(token.string(in: data)) : nil }
            }
        } catch {
            // Data that cannot be read names no chat.
        }
        return nil
    }
}
