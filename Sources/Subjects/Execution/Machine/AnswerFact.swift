package import Model

/// The part of an answer that the server itself needs, besides the JSON for the client.
///
/// - Confinement: any
package enum AnswerFact: Sendable, Hashable {
    case none
    /// The version of the document, or of the table of rules, that was read or written: for the header field `ETag`.
    case version(Int64)
    /// A batch of what was due is done; whether more may be due already.
    case due(isMore: Bool)
    /// A batch of rows that were older than their retention is gone; whether more may be too old already.
    case deleted(rows: Int, isMore: Bool)
    /// The number of streams that were deleted; `next` is where the next sweep begins, zero for the beginning.
    case swept(count: Int, next: StreamID)
    /// The number of documents of a feed that were written. Those that are `tooLong` were left as they are.
    case feedWritten(count: Int, tooLong: [DocumentPath])
    /// A feed was put or deleted.
    case feedsChanged
    /// A person was erased, or may come in again: the ledger beside the database must have it before the answer goes out.
    case erased
    /// Everything of the feed with this name is to be fetched now.
    case feedRun(String)
}
