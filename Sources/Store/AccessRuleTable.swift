import GRDB

/// The table of access rules that was put at run time: one text, since it is always read and written whole.
///
/// - Confinement: store
package struct AccessRuleTable {
    let database: Database

    /// The table with its version as stored; nil when none was put.
    package func find() throws -> String? {
        try database.first("SELECT value FROM meta WHERE name = 'rules'") { try $0[0] }
    }

    /// Stores a table over the one before.
    package func put(_ text: String) throws {
        try database.run(
            "INSERT INTO meta(name, value) VALUES ('rules', ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
            [text]
        )
    }
}
