/// One step from an older database to a newer one.
///
/// - Confinement: any
package struct Migration: Sendable {
    /// The database keeps it to know that the step is done: it never changes.
    let name: String
    let sql: [String]

    package init(_ name: String, _ sql: String...) {
        self.name = name
        self.sql = sql
    }

    /// The statement that makes a table: a migration makes none without a name that declares it.
    ///
    /// - Parameters:
    ///   - columns: with their types, and the key, as SQL.
    ///   - isKeyedByNumber: whether the key is one number, so that SQLite needs no tree beside it.
    static func table(_ name: TableName, isKeyedByNumber: Bool = false, _ columns: String) -> String {
        "CREATE TABLE \(name.rawValue)(\(columns)) STRICT\(isKeyedByNumber ? "" : ", WITHOUT ROWID");"
    }
}
