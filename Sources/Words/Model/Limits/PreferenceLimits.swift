/// The bounds of the preferences of a user, and of the work that they cause.
///
/// - Confinement: any
package enum PreferenceLimits {
    /// Bytes of the whole object: it is read with the user's row, and sent whole whenever it changes.
    package static let bytesMax = 32 * 1024
    /// Mutes of topics, kinds and chats together: more than anybody sets by hand.
    package static let mutesMax = 500
    /// Kinds that have levels of their own.
    package static let kindsMax = 100
    /// Digests: each is a row with its own due time.
    package static let digestsMax = 20
    /// Characters of a notification's kind, the same as of a trigger's.
    package static let kindCharactersMax = 64
    /// Length of a look-back digest: a shorter one collects nothing, a longer one is a weekly digest.
    package static let digestSeconds: ClosedRange<Int64> = 60...604_800
    /// Notifications that one digest counts; a larger digest shows this number.
    package static let digestCountMax = 500
    /// Pages of unread notifications that are searched for a digest: nobody scrolls further.
    package static let digestPagesMax = 10
    /// Ids that one digest lists: as many as a page shows; the rest is in the inbox.
    package static let digestItemsMax = 50
    /// Titles that a digest's body shows.
    package static let digestTitlesMax = 3
    /// Digests and snoozed notifications written in one step: about 20 ms, so that waiting chat messages are not
    /// delayed.
    package static let dueBatch = 200
    /// Notifications that one user may have snoozed.
    package static let snoozesMax = 500
    /// How far ahead a notification may be snoozed: a year.
    package static let snoozeMilliseconds: Int64 = 366 * 86_400_000
}
