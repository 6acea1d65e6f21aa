/// The actions of administrators.
///
/// - Confinement: any
enum AuditSchema {
    /// Every write of an administrator puts a row here, so there is no index but the order of the numbers, which ascend with
    /// time. A page that is filtered looks at a bounded number of rows.
    static let audit = """
        CREATE TABLE audit(
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            jti TEXT,
            address TEXT NOT NULL,
            request TEXT NOT NULL,
            action TEXT NOT NULL,
            target TEXT NOT NULL,
            detail TEXT,
            outcome TEXT NOT NULL
        ) STRICT;
        """

    /// Earlier rows do not say whose request it was.
    static let kinds = """
        ALTER TABLE audit ADD COLUMN kind TEXT;
        """
}
