import GRDB
import Log

/// The statements of subjects that nearly every write runs, prepared once, as ``LogStatements`` says of those of the log.
///
/// - Confinement: store
final class SubjectStatements {
    let insertMessage: Statement
    let setChat: Statement
    let setMember: Statement
    let findDocument: Statement
    let putDocument: Statement
    let insertVersion: Statement
    let insertNotification: Statement
    let addUnreadInbox: Statement
    let insertAudit: Statement

    init(of access: WriteAccess) throws {
        let database = access.database
        insertMessage = try database.makeStatement(sql: MessageEntry.insertSQL)
        setChat = try database.makeStatement(sql: ChatEntry.setSQL)
        setMember = try database.makeStatement(sql: MemberEntry.setSQL)
        findDocument = try database.makeStatement(sql: DocumentEntry.findSQL)
        putDocument = try database.makeStatement(sql: DocumentEntry.putSQL)
        insertVersion = try database.makeStatement(sql: DocumentVersion.insertSQL)
        insertNotification = try database.makeStatement(sql: NotificationEntry.insertSQL)
        addUnreadInbox = try database.makeStatement(sql: UserEntry.addUnreadInboxSQL)
        insertAudit = try database.makeStatement(sql: AuditEntry.insertSQL)
    }
}

@available(*, unavailable)
extension SubjectStatements: Sendable {}

extension ReadAccess {
    /// The statement that finds a document.
    func findDocument() throws -> Statement {
        try remembered?.statements.findDocument ?? database.cachedStatement(sql: DocumentEntry.findSQL)
    }
}
