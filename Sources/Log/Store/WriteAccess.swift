import GRDB
import Model

/// The database as the tables use it to write: with the prepared statements and the chats that the connection keeps from
/// one commit to the next.
///
/// - Confinement: store
package final class WriteAccess: ReadAccess {
    let statements: WriterStatements
    let chatMemory: ChatMemory
    /// The changes to webhooks in the present transaction; each transaction begins with none.
    var webhookTally = WebhookTally()
    /// The changes to pushes in the present transaction; each transaction begins with none.
    var pushTally = PushTally()
    /// Whether any device is registered; nil when that is not known. Nearly every write asks.
    var hasPushDevices: Bool?
    /// The users that block, are blocked or restricted, or have limits of their own; nil when that is not known. A user
    /// of whom that is true no longer may stay in it, so it outlives undone writes. Every message asks for its author.
    private var marked: Set<StreamID>?
    /// The people who were erased, and the names of those whose erasure is at work; nil when that is not known. Every write
    /// asks for its author.
    private var erased: (people: Set<StreamID>, names: [UserID])?
    /// Whether ``erased`` has changed since anything was undone.
    private var isErasedNew = false

    /// Prepares the statements, for which the tables must be there.
    ///
    /// - Throws: `DatabaseError` with SQLite's code.
    init(preparing database: Database) throws {
        statements = try WriterStatements(database)
        chatMemory = ChatMemory(statements: statements)
        super.init(database: database)
    }

    /// From here on, the statements that write are noted there, or nowhere.
    func record(into recorder: WriteRecorder?) {
        self.recorder = recorder
        chatMemory.recorder = recorder
    }

    override func findKey() -> Statement { statements.findKey }

    override func findDocument() -> Statement { statements.findDocument }

    override func chat(_ name: ChatID) throws -> ChatEntry? {
        try chatMemory.chat(name) {
            guard let (entry, lastEvent) = try storedChat(name) else { return nil }
            return ChatMemory.Known(entry, lastEvent: lastEvent, members: try members(of: entry))
        }?.entry
    }

    /// Both of a pair. A room may have a thousand members, and a message needs one of them.
    private func members(of chat: ChatEntry) throws -> [MemberEntry] {
        chat.isRoom ? [] : try storedMembers(of: chat.id)
    }

    override func member(_ user: StreamID, of chat: Int64) throws -> MemberEntry? {
        guard let known = chatMemory.chat(chat) else { return try storedMember(user, of: chat) }
        return try chatMemory.member(user, of: known) { try storedMember(user, of: chat) }
    }

    override func members(of chat: Int64) throws -> [MemberEntry] {
        if let known = chatMemory.chat(chat) {
            guard known.entry.isRoom else { return known.members }
            try chatMemory.flush()
        }
        return try storedMembers(of: chat)
    }

    /// Forgets what an undone transaction, or savepoint, has left in memory.
    func forget() {
        chatMemory.forget()
        hasPushDevices = nil
        if isErasedNew { (erased, isErasedNew) = (nil, false) }
    }

    override func hasAnyPushDevice() throws -> Bool {
        if let hasPushDevices { return hasPushDevices }
        let has = try super.hasAnyPushDevice()
        hasPushDevices = has
        return has
    }

    override func isMarked(_ user: StreamID) throws -> Bool {
        if let marked { return marked.contains(user) }
        let found: [StreamID] = try all(
            """
            SELECT user FROM blocks UNION SELECT other FROM blocks UNION SELECT user FROM restrictions
            UNION SELECT user FROM person_limits
            """
        ) { try $0[0] }
        marked = Set(found)
        return found.contains(user)
    }

    /// Something about the user is written that ``isMarked(_:)`` must know.
    func mark(_ user: StreamID) { marked?.insert(user) }

    /// Whether the person was erased, or is being erased.
    func isErased(_ user: StreamID) throws -> Bool { try knownErased().people.contains(user) }

    /// The names of those whose erasure is at work.
    func namesBeingErased() throws -> [UserID] { try knownErased().names }

    /// Other people are erased.
    func forgetErased() { (erased, isErasedNew) = (nil, true) }

    private func knownErased() throws -> (people: Set<StreamID>, names: [UserID]) {
        if let erased { return erased }
        let rows: [(StreamID, String?)] = try all(
            "SELECT user, iif(finished IS NULL, name, NULL) FROM erasures WHERE user > 0"
        ) {
            try ($0[0], $0.optional(1))
        }
        let found = (people: Set(rows.map(\.0)), names: rows.compactMap(\.1).compactMap { UserID($0) })
        erased = found
        return found
    }

    /// Another node has written.
    func forgetMarked() { (marked, erased) = (nil, nil) }

    override func flushChats() throws { try chatMemory.flush() }
}
