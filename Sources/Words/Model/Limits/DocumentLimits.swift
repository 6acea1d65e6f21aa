/// The bounds of documents, of the rules for them, and of watches, each with its reason.
///
/// - Confinement: any
package enum DocumentLimits {
    /// Bytes of one document's JSON.
    package static let bytesMax = 64 * 1024
    /// Levels of collection and id in a path.
    package static let pathLevelsMax = 8
    /// Bytes of a path: eight levels with the longest ids do not occur in practice.
    package static let pathBytesMax = 1024
    /// Writes in one atomic batch: the work of one transaction that does not delay the chats much (about 20 ms).
    package static let batchMax = 500
    /// First parts of ids with two parts: TMDB numbers films and series separately.
    package static let compoundIDPrefixes: Set<String> = ["movie", "tv"]
    /// Milliseconds for which a path is logged at least on a cluster, whose nodes do not know what the others watch.
    package static let pathMilliseconds: Int64 = 86_400_000
    /// Bytes of a member of a user's document that the list of chats shows: the address of a picture fits, and no picture.
    package static let profileMemberBytesMax = 2048
    /// Patterns in the table of access rules: an application has about a dozen; compiled, this number takes a few
    /// hundred KB.
    package static let accessRulesMax = 500
    /// Documents and collections that one session may watch: a page on the screen shows only a few.
    package static let watchesMax = 100
    /// Watches of a stream that was opened without a token.
    package static let openWatchesMax = 16
    /// Watches of a session that are part of its normal cost; further ones count as held bytes.
    package static let watchesFree = 10
    /// Bytes of memory that a watch takes: its path, and its entries in the tables of the session and of the loop.
    package static let watchBytes = 800
    /// Documents in one answer to `watch`; further ones follow page by page.
    package static let watchPageDocuments = 200
    /// Bytes of documents in one answer to `watch`, exceeded by at most one document: the bytes that a slow reader may
    /// have queued.
    package static let watchPageBytes = 256 * 1024
    /// Watches of one loop whose pages are read at the same time: 3 MB between a reader and the loop, and the reader is
    /// never idle.
    package static let watchReadsMax = 8
}
