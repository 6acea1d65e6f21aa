import GRDB

/// The statements that nearly every write runs, prepared once: to find one by its text in a cache costs as much as some
/// of them take to run.
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
    let insertAudit: Statement

    init(_ database: Database) throws {
        begin = try database.makeStatement(sql: "BEGIN IMMEDIATE")
        commit = try database.makeStatement(sql: "COMMIT")
        insertChange = try database.makeStatement(sql: ChangeEntry.insertSQL)
        insertMessage = try database.makeStatement(sql: MessageEntry.insertSQL)
        findKey = try database.makeStatement(sql: KeyEntry.findSQL)
        insertKey = try database.makeStatement(sql: KeyEntry.insertSQL)
        setChat = try database.makeStatement(sql: ChatEntry.setSQL)
        setMember = try database.makeStatement(sql: MemberEntry.setSQL)
        findDocument = try database.makeStatement(sql: DocumentEntry.findSQL)
        putDocument = try database.makeStatement(sql: DocumentEntry.putSQL)
        insertVersion = try database.makeStatement(sql: DocumentVersion.insertSQL)
        insertNotification = try database.makeStatement(sql: NotificationEntry.insertSQL)
        advanceStream = try database.makeStatement(sql: StreamEntry.advanceSQL)
        addUnreadInbox = try database.makeStatement(sql: UserEntry.addUnreadInboxSQL)
        insertAudit = try database.makeStatement(sql: AuditEntry.insertSQL)
    }
}

@available(*, unavailable)
extension WriterStatements: Sendable {}
