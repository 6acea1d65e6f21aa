import GRDB

/// The tables of a transaction.
///
/// The type of a table says what it can do: a `UserTable<ReadAccess>` reads, and a `UserTable<WriteAccess>` also has the
/// methods that write. Tables depend on their access and on each other, and on no transaction.
package protocol Tables {
    associatedtype Access: ReadAccess
    /// The access from which the tables are made.
    var access: Access { get }
}

extension Tables {
    package var keys: KeyTable<Access> { KeyTable(access: access) }
    package var log: ChangeLog<Access> { ChangeLog(access: access) }
    package var retention: LogRetention<Access> { LogRetention(access: access) }
    package var streams: StreamTable<Access> { StreamTable(access: access) }

    var database: Database { access.database }
}
