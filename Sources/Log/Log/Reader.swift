package import GRDB

/// One connection that reads; after a failed read it is opened again, with empty caches.
///
/// - Confinement: store (the thread of this reader)
package final class Reader {
    /// Not the folder's object, which holds its lock.
    private let databasePath: String
    /// Nil after a fault that puts its caches in doubt, and when it is closed.
    private var queue: DatabaseQueue?

    init(_ directory: DataDirectory) throws {
        databasePath = directory.databasePath
        queue = try Self.connection(databasePath)
    }

    /// Runs `body` on one consistent snapshot.
    ///
    /// - Throws: `DatabaseError`, or what `body` throws.
    package func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        let queue = try self.queue ?? Self.connection(databasePath)
        self.queue = queue
        do {
            return try queue.read { try body(Transaction(database: $0)) }
        } catch {
            _ = doubt(after: error)
            throw error
        }
    }

    /// Makes the next read open the connection again when an error puts its caches in doubt.
    ///
    /// ``read(_:)`` does so with the errors that it throws; call this, outside of it, with an error that its body
    /// caught.
    ///
    /// - Returns: whether it does: then the read is worth another try.
    package func doubt(after error: any Error) -> Bool {
        guard StorageFault(error).doubtsConnection else { return false }
        // One that cannot be closed is closed by SQLite when the last reference to it goes.
        try? queue?.close()
        queue = nil
        return true
    }

    /// A connection that reads, with empty caches.
    package static func connection(_ databasePath: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "watchwise-reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -16384")
        }
        return try DatabaseQueue(path: databasePath, configuration: configuration)
    }

    /// Closes the connection; nothing may be read afterwards.
    package func close() throws { try queue?.close() }
}

@available(*, unavailable)
extension Reader: Sendable {}
