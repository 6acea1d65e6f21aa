import Log

extension Migration {
    /// The statement that makes a table: a migration makes none without a name that declares it.
    ///
    /// - Parameters:
    ///   - columns: with their types, and the key, as SQL.
    ///   - isKeyedByNumber: whether the key is one number, so that SQLite needs no tree beside it.
    static func table(_ name: TableName, isKeyedByNumber: Bool = false, _ columns: String) -> String {
        "CREATE TABLE \(name.rawValue)(\(columns)) STRICT\(isKeyedByNumber ? "" : ", WITHOUT ROWID");"
    }
}
