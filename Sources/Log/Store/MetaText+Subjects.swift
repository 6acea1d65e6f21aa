import Log

// The texts of subjects.
extension MetaText {
    /// The table of access rules that was put.
    static let accessRules = MetaText("rules")
    /// The greatest number of a chat that is gone: entries of the log have it, so no other chat gets it.
    static let chatsGone = MetaText("chats_gone")
    /// The preferences that are configured for users who choose nothing.
    static let defaultPreferences = MetaText("default_preferences")
    /// The newest user that has them.
    static let defaultPreferencesSpread = MetaText("default_preferences_spread")
    /// The key of the digests of erased people's names.
    static let erasureKey = MetaText("erasure_key")
    /// Kinds of topics from before English plurals were known.
    static let kindsBefore = MetaText("kinds_before")
    /// How far messages were looked through for those that are too old; see ``MessageSweep``.
    static let messagesSwept = MetaText("messages_swept")
    /// Every notification up to this position that was there for too long has expired.
    static let notificationsSwept = MetaText("notifications_swept")
    /// Entries of the log after this position have the numbers of their messages.
    static let numberedFrom = MetaText("numbered_from")
}
