/// The tables of a program, for the log that opens, migrates and writes a database: the log knows none but its own.
///
/// ```swift
/// let plan = TablePlan(migrations: Schema.migrations) { try SubjectMemory(of: $0) }
/// let writer = try Storage.openWriter(directory, plan: plan)
/// ```
///
/// - Confinement: any
package struct TablePlan: Sendable {
    /// In the order in which they are applied; a database remembers the names of those that it has. The first one makes the
    /// tables of the log.
    package let migrations: [Migration]
    /// Makes the memory of a connection that writes; its tables are there.
    let memory: @Sendable (WriteAccess) throws -> any WriterMemory

    package init(
        migrations: [Migration], memory: @escaping @Sendable (WriteAccess) throws -> any WriterMemory
    ) {
        self.migrations = migrations
        self.memory = memory
    }
}
