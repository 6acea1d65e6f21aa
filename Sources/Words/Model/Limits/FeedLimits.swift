/// The bounds of feeds, each with its reason, beside those of ``Limits``.
///
/// - Confinement: any
package enum FeedLimits {
    /// Bytes of one answer: the credits of the busiest people have about one, an announcement feed far less.
    package static let answerBytesMax = 4 << 20
    /// Time for the connection, and for a whole answer.
    package static let connectMilliseconds = 10_000
    package static let answerMilliseconds = 30_000
    /// Nesting of the elements of a document, and their number: feeds have six levels and a few thousand elements.
    package static let xmlDepthMax = 64
    package static let xmlElementsMax = 50_000
    /// Nesting of JSON values: the answers have six levels.
    package static let jsonDepthMax = 16

    /// Announcements taken from one answer, the first ones: feeds have ten to a hundred, with the newest first.
    package static let announcementsMax = 300
    /// Credits taken of one person: the busiest have a few hundred.
    package static let creditsMax = 1500
    /// Stations taken from all pages: Poland has about 300.
    package static let stationsMax = 2000
    /// Pages of a list that are fetched.
    package static let pagesMax = 50
    /// Characters of a title, a summary, a name.
    package static let titleCharactersMax = 300
    package static let summaryCharactersMax = 1000
    package static let nameCharactersMax = 200
    /// Files attached to one announcement.
    package static let attachmentsMax = 10
    /// Bytes of a link: longer ones are no addresses for people.
    package static let linkBytesMax = 2000
    /// Bytes of an id that is taken as it is; longer ones are cut and distinguished by a digest.
    package static let idBytesMax = 120

    /// Feeds that may be configured: an installation has a handful.
    package static let feedsMax = 100
    /// People, series and stations listed in one feed.
    package static let listedMax = 5000
    /// Followed ids that are fetched: an hour's work at four requests a second.
    package static let followedMax = 15_000
    /// Time between two rounds.
    package static let intervals: ClosedRange<Int64> = 10_000...7 * 86_400_000
    /// Time between two rounds of lists that hardly change.
    package static let listMilliseconds: Int64 = 86_400_000
    /// Requests per second of one feed.
    package static let rates: ClosedRange<Int64> = 1...20
    package static let rateDefault: Int64 = 4
    /// Requests of one feed at the same time: the source serves others, too.
    package static let underWayMax = 2
    /// Time between two searches for newly followed people, series and stations.
    package static let lookMilliseconds: Int64 = 30_000
    /// Time after a failure, doubled each time up to the upper bound.
    package static let retryBounds: ClosedRange<Int64> = 5_000...3_600_000
    /// Time after which a failed read or write of the database is repeated, for example when the disk was full.
    package static let storageRetryMilliseconds: Int64 = 5_000
    /// The longest wait that a source may ask for.
    package static let retryAfterMax: Int64 = 86_400_000
    /// Consecutive failures of targets that worked before, after which the source itself is considered to have a
    /// problem: its round is ended and repeated later. Few enough to spare the source, and more than some broken
    /// targets cause.
    package static let failuresInRowMax = 10
    /// Requests of a trial, and documents that it shows.
    package static let trialRequestsMax = 10
    package static let trialDocumentsMax = 200
    /// How far in the future a reading may lie: clocks differ.
    package static let readingAheadMilliseconds: Int64 = 3_600_000
    /// How long a station's last known index counts as the previous one: hours without an index are common, and after
    /// six hours the air has changed.
    package static let readingCountsMilliseconds: Int64 = 6 * 3_600_000
}
