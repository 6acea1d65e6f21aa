/// The bounds of the search, and of its index, each with its reason.
///
/// - Confinement: any
package enum SearchLimits {
    /// Characters of a question: longer ones are pasted texts.
    package static let questionCharactersMax = 256
    /// Units of a search, besides its page: about a millisecond of a reader.
    package static let weight = 20
    /// Messages that one search looks at; the next page goes on from there. Each takes some 15 µs, so a search that finds
    /// little holds up other reads for 15 ms.
    package static let looksMax = 1000
    /// Chats that the index is asked for by number; who has more is given what the index finds in all, reduced to those.
    package static let chatsMax = 1000
    /// Characters of a beginning that the index is asked for: all words with a shorter one are too many.
    package static let beginningMin = 3
    /// Messages that are indexed in one transaction.
    package static let sliceMessages = 1000
    /// Positions of the log that are looked through for it.
    package static let sliceEntries: Int64 = 20_000
    /// Older messages that are indexed in one transaction when the index is built.
    package static let walkMessages = 5000
    /// The longest time for which the index does nothing when messages come: so much is gathered.
    package static let pauseMilliseconds: Int64 = 250
    /// Time after which indexing is tried again when it failed.
    package static let retryMilliseconds: Int64 = 5000
    /// Time between two lines in the log about an index that is being built.
    package static let lineMilliseconds: Int64 = 10_000
    /// The longest time for which words of a deleted text stay in pages of the index, where no search finds them.
    package static let mergeMilliseconds: Int64 = 3_600_000
    /// Pages of 4 KB that one step of a merge writes: some 10 ms.
    package static let mergePages = 500
    /// Entries a second from which on the log grows in a burst: then writes go first, and the index follows later.
    package static let burstEntries: Int64 = 10_000
    /// How many times as long as it has worked the thread that indexes pauses in a burst: it takes 2 % of a processor.
    package static let burstPause: Int64 = 49
    /// Entries by which the index may be late before it goes on at full speed in a burst, too: about ten seconds of work.
    package static let burstLag: Int64 = 1_000_000
    /// The priority of the thread that indexes, as `nice` takes it: what answers people goes first.
    package static let niceness = 19
}
