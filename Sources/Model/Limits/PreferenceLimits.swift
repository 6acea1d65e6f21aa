/// The bounds of the preferences that a user may set, and of the work that they may cause.
///
/// - Confinement: any
package enum PreferenceLimits {
    /// Bytes of the whole object: it is read with the user's row, and sent whole whenever it changes.
    package static let bytesMax = 32 * 1024
    /// Mutes of topics, kinds and chats together: more than anybody sets by hand.
    package static let mutesMax = 500
    /// Kinds with levels of their own.
    package static let kindsMax = 100
    /// Digests: each is a row that comes due by itself.
    package static let digestsMax = 20
    /// Characters of a notification's kind, as of a trigger's.
    package static let kindCharactersMax = 64
    /// Length of a look-back digest: a shorter one collects nothing, a longer one is a weekly digest.
    package static let digestSeconds: ClosedRange<Int64> = 60...604_800
    /// Notifications that one digest counts; one with more says the number of these.
    package static let digestCountMax = 500
    /// Pages of as many unread notifications that are searched for them: what lies deeper, nobody finds by himself.
    package static let digestPagesMax = 10
    /// Ids that one digest lists: what a page shows; the rest is found in the inbox.
    package static let digestItemsMax = 50
    /// Titles that a digest's body shows.
    package static let digestTitlesMax = 3
    /// Digests and snoozed notifications written in one go: about 20 ms, so that the chats between them do not wait.
    package static let dueBatch = 200
    /// Notifications that one user may have snoozed.
    package static let snoozesMax = 500
    /// How far ahead a notification may be snoozed: a year.
    package static let snoozeMilliseconds: Int64 = 366 * 86_400_000
}
