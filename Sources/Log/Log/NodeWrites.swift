/// The statements that change something and are not recorded: writes of the node alone, which no other node repeats. All
/// others go through ``StatementRun`` and ``StatementInput``.
///
/// Settings of a connection (`PRAGMA`) and the ends of transactions (`BEGIN`, `COMMIT`, `ROLLBACK`) change no rows.
///
/// - Confinement: any
enum NodeWrites {
    /// The table whose rows each node has for itself.
    static let table = "node"

    /// Changes no row: a file that cannot be written fails with it at once.
    static let trial = "UPDATE meta SET value = value WHERE 0"

    /// Shows whether writing works again; the text has twice as many characters as the number says.
    static let probe = "INSERT OR REPLACE INTO node(name, value) VALUES ('probe', hex(zeroblob(?)))"

    /// Notes that the database is not that of the other nodes.
    static let divergence = "INSERT OR REPLACE INTO node(name, value) VALUES ('diverged', ?)"

    /// Notes that a member's commits are not flushed, see ``MemberLog``.
    static let unflushed = "INSERT OR REPLACE INTO node(name, value) VALUES ('unflushed', ?)"

    /// Notes that all commits are flushed.
    static let flushed = "DELETE FROM node WHERE name = 'unflushed'"

    /// Notes the newest entry of the journal that is applied here, and its term.
    static let place = "INSERT OR REPLACE INTO meta(name, value) VALUES ('journal', ?), ('term', ?)"

    /// Removes the texts of another node from a copy of its database.
    static let clearing = "DELETE FROM node"

    /// Texts of ``MetaText`` that each node writes by itself: where it is in the journal, and the name of its history, which
    /// is that of the first leading node and comes with its database.
    static let metaTexts: [MetaText] = [.journal, .term, .author, .epoch]
}
