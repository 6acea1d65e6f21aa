import GRDB
package import Model

/// A transaction that reads: all its tables (``Tables``) only read.
///
/// - Confinement: store
package class Transaction {
    let database: Database

    init(database: Database) { self.database = database }

    /// The user's counts as this transaction sees them.
    package func unread(of user: UserEntry) throws -> UnreadCounts {
        UnreadCounts(
            chats: user.unreadChats,
            notifications: user.unreadInbox + (try topicCounts.unread(of: user))
        )
    }

    // MARK: Reads that differ in a transaction that writes

    /// The statement that finds a key.
    func findKey() throws -> Statement { try database.cachedStatement(sql: KeyEntry.findSQL) }

    /// The statement that finds a document.
    func findDocument() throws -> Statement { try database.cachedStatement(sql: DocumentEntry.findSQL) }

    /// The chat of a name; nil when it was never opened.
    func chat(_ name: ChatID) throws -> ChatEntry? { try database.chat(name)?.entry }

    /// Everybody in a chat, in the order of numbers.
    func members(of chat: Int64) throws -> [MemberEntry] { try database.members(of: chat) }

    /// Brings the tables of chats and members up to date, before a question that goes by other columns.
    func flushChats() throws {}
}

@available(*, unavailable)
extension Transaction: Sendable {}
