import GRDB

/// A table, or several that belong together, as a transaction uses it.
protocol StoredTable {
    associatedtype Access: ReadAccess
    /// The access from which the table was made, and from which it makes the other tables that it needs.
    var access: Access { get }
}

extension StoredTable {
    /// Inlined, because a call would look up the generic table's types each time: a tenth of the time of a read.
    @inline(__always) var database: Database { access.database }
}
