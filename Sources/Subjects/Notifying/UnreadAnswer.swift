import Execution
package import JSON
import Model
import Store

/// The answer of a write that changes how many notifications are unread: `unread` and `seq`.
///
/// - Confinement: any
package struct UnreadAnswer: UseCaseAnswer {
    /// Of all notifications.
    let unread: Int64
    let position: Position

    /// Counts what is unread after the write.
    init(of user: StreamID, at position: Position, in transaction: WriteTransaction) throws {
        unread = try transaction.unread(of: transaction.reading.storedUser(user)).notifications
        self.position = position
    }

    package func write(to reply: inout JSONWriter) {
        reply.member("unread", unread)
        reply.member("seq", position.value)
    }
}
