/// The table of the node alone.
///
/// - Confinement: any
enum NodeSchema {
    /// Other nodes lack these rows: no write into this table is recorded (``NodeWrites``). The probe stood in `meta`, which all share.
    static let texts = """
        CREATE TABLE node(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        DELETE FROM meta WHERE name = 'probe';
        """
}
