package import GRDB

/// A transaction that reads: all its tables (``Tables``) only read.
///
/// - Confinement: store
package struct Transaction: Tables {
    package let access: ReadAccess

    init(_ access: ReadAccess) { self.access = access }

    package init(database: Database) { access = ReadAccess(database: database) }
}

@available(*, unavailable)
extension Transaction: Sendable {}
