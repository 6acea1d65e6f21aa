import GRDB
import Model

/// The database as the tables use it to read. A ``Transaction`` makes its tables from it, and a table makes the other
/// tables that it needs.
///
/// - Confinement: store
package class ReadAccess {
    final let database: Database
    /// Notes the statements that write; nil on a connection that reads, and on a node that is alone.
    final var recorder: WriteRecorder?

    init(database: Database) { self.database = database }

    // MARK: Reads that differ on the connection that writes

    /// The statement that finds a key.
    func findKey() throws -> Statement { try database.cachedStatement(sql: KeyEntry.findSQL) }

    /// The statement that finds a document.
    func findDocument() throws -> Statement { try database.cachedStatement(sql: DocumentEntry.findSQL) }

    /// The chat of a name; nil when it was never opened.
    func chat(_ name: ChatID) throws -> ChatEntry? { try storedChat(name)?.entry }

    /// A member of a chat; nil for everybody else.
    func member(_ user: StreamID, of chat: Int64) throws -> MemberEntry? { try storedMember(user, of: chat) }

    /// Everybody in a chat, in the order of numbers.
    func members(of chat: Int64) throws -> [MemberEntry] { try storedMembers(of: chat) }

    /// Whether any device is registered for pushes.
    func hasAnyPushDevice() throws -> Bool {
        try number("SELECT EXISTS (SELECT 1 FROM push_devices)") > 0
    }

    /// Whether a user may block somebody, be blocked, be restricted, or have limits of their own. False is certain.
    func isMarked(_ user: StreamID) throws -> Bool { true }

    /// Brings the tables of chats and members up to date, before a question that goes by other columns.
    func flushChats() throws {}
}

@available(*, unavailable)
extension ReadAccess: Sendable {}
