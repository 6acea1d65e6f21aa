/// Bounds of erasures.
///
/// - Confinement: any
package enum ErasureLimits {
    /// Rows that one slice deletes where that costs little: some 2 ms.
    package static let rows = 250
    /// Messages that one slice takes, each with its event and its notifications: some 4 ms.
    package static let messages = 50
    /// Messages that one slice looks at, to find those of the person.
    package static let messagesLookedAt = 1000
    /// Rows that one slice looks at to find the name: some 2 ms.
    package static let rowsLookedAt = 1500
    /// Followers, documents and chats that one slice takes: each writes an event.
    package static let events = 30
    /// Documents of others that the certificate lists.
    package static let keptDocuments = 1000
    /// Own documents that a dry run counts.
    package static let countedDocuments = 10_000
    /// Patterns of documents elsewhere.
    package static let patterns = 50
    /// Milliseconds between two slices, and how many times as long as a slice has taken.
    package static let pauseMilliseconds: Int64 = 8
    package static let pauseFactor: Int64 = 1
    /// Pages of the database's file that one slice looks at, to clear the bytes that SQLite leaves: below 1 ms.
    package static let pages = 128
    /// A process that starts clears its files again after erasures that ended within this time: the one before it may have
    /// ended in the middle.
    package static let clearedAgainMilliseconds: Int64 = 7 * 86_400_000
    /// The longest time that an erasure waits for the index of messages to know of the deletions.
    package static let indexMilliseconds: Int64 = 60_000
    /// Databases that a node has put aside go after this time, also when nobody is erased; and how often they are looked at.
    package static let divergedMilliseconds: Int64 = 14 * 86_400_000
    package static let divergedLookMilliseconds: Int64 = 3_600_000
    /// The longest time that it waits for the index to have merged its pages.
    package static let mergeMilliseconds: Int64 = 600_000
}
