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
}
