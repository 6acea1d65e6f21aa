import EventLoop
import Services
package import Store

/// What other threads tell the writer.
///
/// - Confinement: any
package enum WriterMessage: Sendable {
    case write(WriteOrder)
    /// What the check has found.
    case checked(DatabaseCheck.Finding)
    /// Commit what came before, then close the database.
    case stop
}
