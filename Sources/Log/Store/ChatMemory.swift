import Log
import Model

/// The chats that the writer has met, with their members, so that a message needs no query, and a batch writes each
/// chat and member once, however many messages it has.
///
/// A change here is not yet in the database: ``flush(noting:)`` writes it, before a commit, before a savepoint, and before a
/// question that goes by other columns. After anything is undone, the memory forgets everything: the database decides.
///
/// - Confinement: store
final class ChatMemory {
    /// A chat as it will be after the next flush.
    ///
    /// - Confinement: store
    final class Known {
        var entry: ChatEntry
        var lastEvent: Position
        var members: [MemberEntry]
        fileprivate var isChanged = false
        /// Those that changed, by their places among ``members``.
        fileprivate var changedMembers: [Int] = []
        /// The places of those that were met, in a room.
        private var places: [StreamID: Int] = [:]

        /// - Parameter members: both of a pair, and none in a room, whose members are met one by one.
        init(_ entry: ChatEntry, lastEvent: Position, members: [MemberEntry]) {
            self.entry = entry
            self.lastEvent = lastEvent
            self.members = members
        }

        fileprivate func place(of user: StreamID) -> Int? {
            entry.isRoom ? places[user] : members.firstIndex { $0.user == user }
        }

        fileprivate func meet(_ member: MemberEntry) {
            places[member.user] = members.count
            members.append(member)
        }
    }

    /// Chats that are remembered at most: then it begins from nothing, which costs two look-ups for each chat.
    private static let chatsMax = 10_000

    private let statements: SubjectStatements
    private var byName: [ChatID: Known] = [:]
    private var byID: [Int64: Known] = [:]
    private var changed: [Known] = []
    /// How often anything was changed: equal numbers mean that nothing happened between two moments.
    private(set) var changeCount = 0

    init(_ statements: SubjectStatements) { self.statements = statements }

    /// The chat of a name, as remembered or as `load` finds it; nil when there is none.
    ///
    /// - Parameter recorder: as ``flush(noting:)`` wants it.
    func chat(_ name: ChatID, noting recorder: WriteRecorder?, load: () throws -> Known?) throws -> Known? {
        if let known = byName[name] { return known }
        guard let known = try load() else { return nil }
        if byName.count >= Self.chatsMax {
            try flush(noting: recorder)
            forget()
        }
        byName[name] = known
        byID[known.entry.id] = known
        return known
    }

    /// The chat of a number; nil when it is not remembered.
    func chat(_ id: Int64) -> Known? { byID[id] }

    /// Changes the chat itself.
    func change(_ chat: Known, _ body: (Known) -> Void) {
        note(chat)
        chat.isChanged = true
        body(chat)
    }

    /// A member of the chat, as remembered or as `load` finds it; nil when there is none.
    func member(_ user: StreamID, of chat: Known, load: () throws -> MemberEntry?) rethrows -> MemberEntry? {
        if let place = chat.place(of: user) { return chat.members[place] }
        guard chat.entry.isRoom, let member = try load() else { return nil }
        chat.meet(member)
        return member
    }

    /// Changes a member of the chat.
    ///
    /// - Returns: false when `user` is not remembered as one.
    func change(_ chat: Known, member user: StreamID, _ body: (inout MemberEntry) -> Void) -> Bool {
        guard let place = chat.place(of: user) else { return false }
        note(chat)
        if !chat.changedMembers.contains(place) { chat.changedMembers.append(place) }
        body(&chat.members[place])
        return true
    }

    private func note(_ chat: Known) {
        changeCount += 1
        if !chat.isChanged, chat.changedMembers.isEmpty { changed.append(chat) }
    }

    /// Writes the changes.
    ///
    /// - Parameter recorder: notes what is written; nil on a node that is alone.
    /// - Throws: `DatabaseError`; then the transaction is to be undone, and ``forget()`` called.
    func flush(noting recorder: WriteRecorder?) throws {
        guard !changed.isEmpty else { return }
        for chat in changed {
            if chat.isChanged { try write(chat, recorder) }
            for place in chat.changedMembers { try write(chat.members[place], of: chat.entry.id, recorder) }
            chat.isChanged = false
            chat.changedMembers.removeAll(keepingCapacity: true)
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Forgets everything, also unwritten changes.
    func forget() {
        byName.removeAll()
        byID.removeAll()
        changed.removeAll()
    }

    /// Forgets a chat whose members have become others; its changes must be written.
    func forget(_ chat: Int64) {
        guard let known = byID.removeValue(forKey: chat) else { return }
        byName[known.entry.name] = nil
    }

    private func write(_ chat: Known, _ recorder: WriteRecorder?) throws {
        var input = StatementInput(statements.setChat, noting: recorder)
        input.add(chat.entry.last)
        input.add(chat.entry.lastPosition.value)
        input.add(chat.lastEvent.value)
        input.add(chat.entry.id)
        try input.run()
    }

    private func write(_ member: MemberEntry, of chat: Int64, _ recorder: WriteRecorder?) throws {
        var input = StatementInput(statements.setMember, noting: recorder)
        input.add(member.read)
        input.add(member.delivered)
        input.add(member.unread)
        input.add(chat)
        input.add(member.user.value)
        try input.run()
    }
}

@available(*, unavailable)
extension ChatMemory: Sendable {}

// MARK: - Questions that the memory answers

extension ReadAccess {
    /// The chat of a name; nil when it was never opened.
    func chat(_ name: ChatID) throws -> ChatEntry? {
        guard let memory = remembered?.chats else { return try storedChat(name)?.entry }
        return try memory.chat(name, noting: recorder) {
            guard let (entry, lastEvent) = try storedChat(name) else { return nil }
            // A room may have a thousand members, and a message needs one of them.
            let members = entry.isRoom ? [] : try storedMembers(of: entry.id)
            return ChatMemory.Known(entry, lastEvent: lastEvent, members: members)
        }?.entry
    }

    /// A member of a chat; nil for everybody else.
    func member(_ user: StreamID, of chat: Int64) throws -> MemberEntry? {
        guard let memory = remembered?.chats, let known = memory.chat(chat) else {
            return try storedMember(user, of: chat)
        }
        return try memory.member(user, of: known) { try storedMember(user, of: chat) }
    }

    /// Everybody in a chat, in the order of numbers.
    func members(of chat: Int64) throws -> [MemberEntry] {
        if let memory = remembered?.chats, let known = memory.chat(chat) {
            guard known.entry.isRoom else { return known.members }
            try memory.flush(noting: recorder)
        }
        return try storedMembers(of: chat)
    }

    /// Brings the tables of chats and members up to date, before a question that goes by other columns.
    package func flushChats() throws { try remembered?.chats.flush(noting: recorder) }
}

extension WriteAccess {
    var chatMemory: ChatMemory { subjects.chats }
}
