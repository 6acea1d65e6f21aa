import Journal

/// A text that the table `meta` has under a name.
///
/// - Confinement: any
struct MetaText: Sendable, Hashable {
    /// The table of access rules that was put.
    static let accessRules = MetaText("rules")
    /// A leadership and its node, as `TERM NODE`: of the newest `lead` that is applied here.
    static let author = MetaText("author")
    /// The greatest number of a chat that is gone: entries of the log have it, so no other chat gets it.
    static let chatsGone = MetaText("chats_gone")
    /// The number of the newest key whose bytes are added up.
    static let countedKeys = MetaText("keys_counted")
    /// The preferences that are configured for users who choose nothing.
    static let defaultPreferences = MetaText("default_preferences")
    /// The newest user that has them.
    static let defaultPreferencesSpread = MetaText("default_preferences_spread")
    static let epoch = MetaText("epoch")
    /// The key of the digests of erased people's names.
    static let erasureKey = MetaText("erasure_key")
    /// The number of the newest entry of the journal that is applied here.
    static let journal = MetaText("journal")
    /// Kinds of topics from before English plurals were known.
    static let kindsBefore = MetaText("kinds_before")
    /// How far messages were looked through for those that are too old; see ``MessageSweep``.
    static let messagesSwept = MetaText("messages_swept")
    /// Every notification up to this position that was there for too long has expired.
    static let notificationsSwept = MetaText("notifications_swept")
    /// Entries of the log after this position have the numbers of their messages.
    static let numberedFrom = MetaText("numbered_from")
    /// The log holds the entries after this position.
    static let retainedFrom = MetaText("retained_from")
    /// The leadership that wrote the entry ``journal``.
    static let term = MetaText("term")

    fileprivate let name: String
    /// Made once: a resume asks for two of them.
    fileprivate let query: String
    /// Where a wrong value stands.
    var problem: StoredValueProblem { StoredValueProblem(place: "meta.\(name)") }

    private init(_ name: String) {
        self.name = name
        query = "SELECT value FROM meta WHERE name = '\(name)'"
    }
}

extension ReadAccess {
    /// A text of the table `meta`; nil when it is not there.
    func meta(_ text: MetaText) throws -> String? { try value(text.query) }

    /// The same as a number.
    ///
    /// - Throws: ``StoredValueProblem`` when it is there and no number; `DatabaseError`.
    func metaNumber(_ text: MetaText) throws -> Int64? {
        guard let stored = try meta(text) else { return nil }
        guard let number = Int64(stored) else { throw text.problem }
        return number
    }

    /// The newest entry of the journal that is applied here; nil on a node that was always alone.
    ///
    /// - Throws: as ``metaNumber(_:)``.
    func journalPlace() throws -> JournalPlace? {
        guard let sequence = try metaNumber(.journal), let term = try metaNumber(.term) else { return nil }
        return JournalPlace(sequence: UInt64(bitPattern: sequence), term: UInt64(bitPattern: term))
    }

    /// The node that wrote the newest entry that is applied here; nil when that is not known.
    func journalAuthor() throws -> String? {
        guard let stored = try meta(.author), let term = try meta(.term), stored.hasPrefix(term + " ") else {
            return nil
        }
        return String(stored.dropFirst(term.count + 1))
    }
}

extension WriteAccess {
    /// Puts a text into the table `meta`, over the one before; nil takes it away.
    func setMeta(_ text: MetaText, _ value: String?) throws {
        assert(recorder == nil || !NodeWrites.metaTexts.contains(text), "each node writes it by itself")
        if let value {
            try run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", [text.name, value])
        } else {
            try run("DELETE FROM meta WHERE name = ?", [text.name])
        }
    }
}
