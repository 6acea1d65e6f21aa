import GRDB

/// The statements that nearly every write runs, prepared once: finding them by their text in a cache costs as much as
/// some of them take.
///
/// - Confinement: store
final class WriterStatements {
    let begin: Statement
    let commit: Statement
    let insertChange: Statement
    let insertMessage: Statement
    let findKey: Statement
    let insertKey: Statement
    let setChat: Statement
    let setMember: Statement
    let findDocument: Statement
    let putDocument: Statement
    let insertVersion: Statement
    let insertNotification: Statement
    let advanceStream: Statement
    let addUnreadInbox: Statement

    init(_ database: Database) throws {
        begin = try database.makeStatement(sql: "BEGIN IMMEDIATE")
        commit = try database.makeStatement(sql: "COMMIT")
        insertChange = try database.makeStatement(sql: ChangeLog.insertSQL)
        insertMessage = try database.makeStatement(sql: MessageTable.insertSQL)
        findKey = try database.makeStatement(sql: KeyTable.findSQL)
        insertKey = try database.makeStatement(sql: KeyTable.insertSQL)
        setChat = try database.makeStatement(
            sql: "UPDATE chats SET last = ?, last_seq = ?, last_event = ? WHERE id = ?")
        setMember = try database.makeStatement(
            sql: "UPDATE members SET read = ?, delivered = ?, unread = ? WHERE chat = ? AND user = ?"
        )
        findDocument = try database.makeStatement(sql: DocumentTable.findSQL)
        putDocument = try database.makeStatement(sql: DocumentTable.putSQL)
        insertVersion = try database.makeStatement(sql: DocumentHistoryTable.insertSQL)
        insertNotification = try database.makeStatement(sql: NotificationTable.insertSQL)
        advanceStream = try database.makeStatement(sql: StreamTable.advanceSQL)
        addUnreadInbox = try database.makeStatement(sql: UserTable.addUnreadInboxSQL)
    }
}

@available(*, unavailable)
extension WriterStatements: Sendable {}
