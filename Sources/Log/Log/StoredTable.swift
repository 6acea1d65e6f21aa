/// A table, or several that belong together, as a transaction uses it.
package protocol StoredTable {
    associatedtype Access: ReadAccess
    /// The access from which the table was made, and from which it makes the other tables that it needs.
    var access: Access { get }
}
