import Feeds

/// A write that the writer has, and what it is of.
///
/// - Confinement: any
struct FeedWrite {
    let feed: String
    /// Of the feed, see ``FeedWork``.
    let work: Int
    let target: FeedTarget
    let validators: FeedValidators
    let findings: FeedFindings
    /// Batches that come after this one.
    var rest: ArraySlice<[FeedDraft]>
    let isQuiet: Bool
    /// The things whose state this write removes from the database.
    var forgotten: Set<String> = []
}
