import Journal

/// A text that the table `meta` has under a name.
///
/// - Confinement: any
package struct MetaText: Sendable, Hashable {
    /// A leadership and its node, as `TERM NODE`: of the newest `lead` that is applied here.
    static let author = MetaText("author")
    /// The number of the newest key whose bytes are added up.
    static let countedKeys = MetaText("keys_counted")
    package static let epoch = MetaText("epoch")
    /// The number of the newest entry of the journal that is applied here.
    static let journal = MetaText("journal")
    /// The log holds the entries after this position.
    static let retainedFrom = MetaText("retained_from")
    /// The leadership that wrote the entry ``journal``.
    static let term = MetaText("term")

    fileprivate let name: String
    /// Made once: a resume asks for two of them.
    fileprivate let query: String
    /// Where a wrong value stands.
    package var problem: StoredValueProblem { StoredValueProblem(place: "meta.\(name)") }

    package init(_ name: String) {
        self.name = name
        query = "SELECT value FROM meta WHERE name = '\(name)'"
    }
}

extension ReadAccess {
    /// A text of the table `meta`; nil when it is not there.
    package func meta(_ text: MetaText) throws -> String? { try value(text.query) }

    /// The same as a number.
    ///
    /// - Throws: ``StoredValueProblem`` when it is there and no number; `DatabaseError`.
    package func metaNumber(_ text: MetaText) throws -> Int64? {
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
    package func setMeta(_ text: MetaText, _ value: String?) throws {
        assert(recorder == nil || !NodeWrites.metaTexts.contains(text), "each node writes it by itself")
        if let value {
            try run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", [text.name, value])
        } else {
            try run("DELETE FROM meta WHERE name = ?", [text.name])
        }
    }
}
