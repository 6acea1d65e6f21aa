package import Log
package import Model

/// An erasure as stored: the work, and in the end its certificate.
///
/// - Confinement: any
package struct ErasureEntry: Sendable {
    package let id: Int64
    /// The erased name, as a digest.
    package let erased: ErasedName
    /// The number of the person, who keeps it under the pseudonym; nobody's where the name was not known.
    package let user: StreamID
    /// The name; nil when no trace of it is left.
    package let name: UserID?
    package let pseudonym: UserID
    /// The word that says what becomes of messages.
    package let mode: String
    /// Patterns of paths, as JSON.
    package let documents: String
    /// How far the work has come.
    package var phase: Int64
    /// The place in a phase.
    package var place: String
    /// How many rows of each kind went, as JSON.
    package var counts: String
    /// Documents of others that the person wrote, and that stay, as JSON.
    package var kept: String
    package let finished: Timestamp?

    /// The beginning of each pseudonym of earlier versions, which could be user ids.
    static let pseudonymPrefix = "gone-"

    package init(
        id: Int64, erased: ErasedName, user: StreamID, name: UserID?, pseudonym: UserID, mode: String,
        documents: String,
        phase: Int64 = 0, place: String = "", counts: String = "{}", kept: String = "[]", finished: Timestamp? = nil
    ) {
        self.id = id
        self.erased = erased
        self.user = user
        self.name = name
        self.pseudonym = pseudonym
        self.mode = mode
        self.documents = documents
        self.phase = phase
        self.place = place
        self.counts = counts
        self.kept = kept
        self.finished = finished
    }
}

/// The erasures of people.
///
/// - Confinement: store
package struct ErasureTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The key of the digests; nil as long as nobody was erased.
    package func key() throws -> String? { try access.meta(.erasureKey) }

    /// The number that the next erasure gets.
    package func nextID() throws -> Int64 { try access.number("SELECT coalesce(max(id), 0) + 1 FROM erasures") }

    /// The erasure of a number; nil when there is none.
    package func find(_ id: Int64) throws -> ErasureEntry? {
        try access.first(ErasureEntry.query + " WHERE id = ?", [id], ErasureEntry.init)
    }

    /// The newest erasure of a name; nil when there is none.
    package func newest(of hash: String) throws -> ErasureEntry? {
        try access.first(
            ErasureEntry.query + " WHERE hash = ? ORDER BY at DESC LIMIT 1", [hash], ErasureEntry.init)
    }

    /// Whether a user id is a pseudonym of an earlier version. It visits all erasures, but only for a name that could be one.
    package func isPseudonym(_ name: UserID) throws -> Bool {
        guard name.text.hasPrefix(ErasureEntry.pseudonymPrefix) else { return false }
        return try access.number("SELECT EXISTS (SELECT 1 FROM erasures WHERE pseudonym = ?)", [name.text]) > 0
    }

    /// The oldest erasure that is at work; nil when there is none.
    package func running() throws -> ErasureEntry? {
        try access.first(
            ErasureEntry.query + " WHERE finished IS NULL ORDER BY id LIMIT 1", [], ErasureEntry.init)
    }

    /// How many erasures are at work.
    package func countRunning() throws -> Int64 {
        try access.number("SELECT count(*) FROM erasures WHERE finished IS NULL")
    }

    /// All erasures, the oldest first.
    package func all() throws -> [ErasureEntry] {
        try access.all(ErasureEntry.query + " ORDER BY id", [], ErasureEntry.init)
    }
}

extension ErasureTable where Access == WriteAccess {
    /// Whether a person was erased, or is being erased. It costs one look into memory.
    package func isErased(_ user: StreamID) throws -> Bool { try access.knownErased().people.contains(user) }

    /// Whether anybody was erased, or is being erased. It costs one look into memory.
    package func hasAny() throws -> Bool { try access.knownErased().hasAny }

    /// Whether the erasure of a name is at work. It costs one look into memory.
    package func isAtWork(_ name: UserID) throws -> Bool { try namesAtWork().contains(name) }

    /// The names whose erasure is at work: some of their traces may be gone already, and no new ones are to come. It costs
    /// one look into memory.
    package func namesAtWork() throws -> [UserID] { try access.knownErased().names }

    /// Keeps the key of the digests; there must be none.
    package func setKey(_ key: String) throws { try access.setMeta(.erasureKey, key) }

    /// Begins an erasure.
    package func insert(_ entry: ErasureEntry) throws {
        access.subjects.forgetErased()
        try access.run(
            """
            INSERT INTO erasures(id, hash, at, user, name, pseudonym, mode, documents, until, invited, phase, place, counts,
            kept, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                entry.id, entry.erased.hash, entry.erased.at.milliseconds, entry.user.value, entry.name?.text,
                entry.pseudonym.text, entry.mode, entry.documents, entry.erased.until.milliseconds,
                entry.erased.isInvited ? entry.erased.at.milliseconds : nil, entry.phase, entry.place, entry.counts,
                entry.kept, entry.finished?.milliseconds,
            ])
    }

    /// Notes how far the work has come.
    package func save(_ entry: ErasureEntry) throws {
        try access.run(
            "UPDATE erasures SET phase = ?, place = ?, counts = ?, kept = ? WHERE id = ?",
            [entry.phase, entry.place, entry.counts, entry.kept, entry.id])
    }

    /// The name itself goes: no trace of it is left elsewhere.
    package func clearName(of id: Int64) throws {
        access.subjects.forgetErased()
        try access.run("UPDATE erasures SET name = NULL WHERE id = ?", [id])
    }

    /// The work is done.
    package func finish(_ id: Int64, at now: Timestamp) throws {
        access.subjects.forgetErased()
        try access.run("UPDATE erasures SET finished = ? WHERE id = ?", [now.milliseconds, id])
    }

    /// The name may come in again.
    package func invite(_ id: Int64, at now: Timestamp) throws {
        try access.run("UPDATE erasures SET invited = ? WHERE id = ?", [now.milliseconds, id])
    }
}

extension ErasureEntry {
    private enum Column: Int, ColumnName {
        case id, hash, at, user, name, pseudonym, mode, documents, until, invited, phase, place, counts, kept, finished
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM erasures"

    fileprivate init(_ row: Columns) throws {
        guard let pseudonym = try UserID(stored: row[Column.pseudonym]) else {
            throw StoredValueProblem(place: "erasures.pseudonym")
        }
        let name = (try row.optional(Column.name) as String?).flatMap(UserID.init(admitted:))
        let invited: Timestamp? = try row.optional(Column.invited)
        try self.init(
            id: row[Column.id],
            erased: ErasedName(
                hash: row[Column.hash], at: row[Column.at], until: row[Column.until], isInvited: invited != nil),
            user: row[Column.user], name: name, pseudonym: pseudonym, mode: row[Column.mode],
            documents: row[Column.documents], phase: row[Column.phase], place: row[Column.place],
            counts: row[Column.counts], kept: row[Column.kept], finished: row.optional(Column.finished))
    }
}
