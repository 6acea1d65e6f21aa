package import Store

/// Messages to the writer.
///
/// - Confinement: any
package enum WriterMessage: Sendable {
    case write(WriteOrder)
    /// The result of the check of the database.
    case checked(DatabaseCheck.Finding)
    /// Commit the earlier messages, then close the database.
    case stop
}
