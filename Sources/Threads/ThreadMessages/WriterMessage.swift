package import Journal
package import Store

/// Messages to the writer.
///
/// - Confinement: any
package enum WriterMessage: Sendable {
    case write(WriteOrder)
    /// This node leads: its `lead` is the entry at this place, and is noted with the next writes.
    case lead(JournalPlace)
    /// This node leads no more, or does not lead yet.
    case follow
    /// The next entry of the journal, or the entry that consists of the parts up to this place.
    case apply(JournalEntry, at: JournalPlace)
    /// Answers of the leading node to writes that were handed to it, and that wrote nothing.
    case unwritten([UnwrittenAnswer])
    /// An operator wants all nodes to digest their tables at the same entry, which gets this number; without effect on a
    /// node that does not lead.
    case mark(UInt64)
    /// The result of the check of the database.
    case checked(DatabaseCheck.Finding)
    /// Commit the earlier messages, then close the database.
    case stop
}
