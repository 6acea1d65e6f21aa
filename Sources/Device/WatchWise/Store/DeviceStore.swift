import Foundation
import GRDB
import JSON
import Session

/// The store of a device in one SQLite database. It never stops: without room it deletes what need not be kept; when that
/// does not help, or the file is gone, it goes on in memory, and says so.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class DeviceStore {
    /// The database was made by a later version of the library.
    struct Outdated: Error {}

    private var queue: DatabaseQueue
    private let path: String?
    /// Whether what is written survives the process.
    private(set) var isDurable: Bool
    /// The note in a store whose user has signed out. A process that has opened the store before sees it, also when the files are
    /// gone.
    private static let signedOut = "signedOut"

    /// Called when the store goes on in memory.
    var onEvent: (StorageEvent) -> Void = { _ in }
    /// The lists that somebody reads now: nothing of them is trimmed.
    var shown: () -> StoreTrimming.Shown = { StoreTrimming.Shown() }
    /// Called with the watched paths of which the store has nothing any more.
    var onTrimmed: (Set<String>) -> Void = { _ in }
    /// Called with the rows of each transaction, when it is over.
    var onChange: (Changes) -> Void = { _ in }
    /// An event from before somebody listened.
    private(set) var saidAtOpen: StorageEvent?
    private var trimmedAt = ContinuousClock.now
    private var seenVersion: Int64 = 0
    /// The number of the last change of another process that was seen.
    private var seenChange: Int64 = 0
    /// This store among those of all processes.
    private let number = Int64.random(in: .min ... .max)

    /// Opens or makes the database, and its folder. A file that cannot be opened is left as it is, and the store is in memory.
    init(_ location: StoreLocation) throws {
        guard case .file(let path) = location else {
            (queue, self.path, isDurable) = (try Self.memory(), nil, false)
            return
        }
        self.path = path
        do {
            queue = try Self.open(path)
            isDurable = true
            _ = changesElsewhere()
        } catch {
            queue = try Self.memory()
            isDurable = false
            saidAtOpen = error is Outdated ? .outdated : .memory(reason: "\(error)")
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.label = "WatchWise"
        configuration.prepareDatabase { database in
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode=WAL")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try prepare(queue)
        try queue.write { database in
            // The process that signed out has ended before it could delete the files.
            guard try StoreReader(database: database).note(signedOut) != nil else { return }
            var writer = StoreWriter(database)
            for table in StoreTable.allCases { try writer.apply(.clear(table)) }
        }
        return queue
    }

    private static func memory() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try prepare(queue)
        return queue
    }

    private static func prepare(_ queue: DatabaseQueue) throws {
        let found = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
        guard found <= StoreSchema.version else { throw Outdated() }
        try queue.write { database in
            try database.execute(sql: StoreSchema.changes)
            if found == StoreSchema.version { return }
            try database.execute(sql: StoreSchema.tables)
            try database.execute(sql: "PRAGMA user_version=\(StoreSchema.version)")
        }
    }

    /// Reads in one transaction.
    func read<Output>(_ body: (StoreReader) throws -> Output) throws -> Output {
        do {
            return try queue.read { try body(StoreReader(database: $0)) }
        } catch let error as DatabaseError where isDurable && Self.isGone(error) {
            try leave(because: error)
            return try queue.read { try body(StoreReader(database: $0)) }
        }
    }

    /// Writes all or nothing.
    /// - Parameter isDurable: Whether it must survive a loss of power: rows that the server has need not.
    /// - Throws: what `body` throws; `DatabaseError` when not even memory helps.
    @discardableResult
    func write<Output>(isDurable: Bool = false, _ body: (inout StoreWriter) throws -> Output) throws -> Output {
        do {
            return try transaction(isDurable, body)
        } catch let error as DatabaseError where self.isDurable {
            if error.resultCode == .SQLITE_FULL, makeRoom(), let output = try? transaction(isDurable, body) {
                return output
            }
            try leave(because: error)
            return try transaction(isDurable, body)
        }
    }

    private func transaction<Output>(_ isDurable: Bool, _ body: (inout StoreWriter) throws -> Output) throws -> Output {
        let (output, changes) = try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
            var output: (Output, Changes)?
            try database.inTransaction(.immediate) {
                var writer = StoreWriter(database)
                let made = try body(&writer)
                try writer.flush()
                if self.isDurable { try writer.noteChanges(by: number) }
                output = (made, writer.changes)
                return .commit
            }
            guard let output else { throw DatabaseError(message: "the transaction has no result") }
            return output
        }
        if !changes.isEmpty { onChange(changes) }
        return output
    }

    /// Deletes what need not be kept, once a minute at most.
    func trimNowAndThen() {
        if ContinuousClock.now - trimmedAt > .seconds(59) { trim() }
    }

    /// Deletes what need not be kept.
    func trim() {
        trimmedAt = .now
        let trimming = StoreTrimming(at: Date.now, shown: shown())
        do {
            onTrimmed(try write { try trimming.trim(&$0) })
        } catch {
            onEvent(.failing(reason: "\(error)"))
        }
    }

    /// Deletes what need not be kept, when there is no room.
    private func makeRoom() -> Bool {
        let trimming = StoreTrimming(at: Date.now, shown: shown())
        guard let paths = try? transaction(false, { try trimming.trim(&$0) }) else { return false }
        onTrimmed(paths)
        return true
    }

    private static func isGone(_ error: DatabaseError) -> Bool {
        [.SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode)
    }

    /// Goes on in memory with all that can still be read.
    private func leave(because error: DatabaseError) throws {
        let memory = try Self.memory()
        let old = queue
        queue = memory
        isDurable = false
        for table in StoreTable.allCases {
            guard let rows = try? old.read({ try StoreReader(database: $0).all(table) }) else { continue }
            let changes: [StoreChange] = rows.compactMap { row in
                table == .outbox ? WriteEntry(.object(row)).map { .keep($0) } : .put(table, row)
            }
            try write { writer in for change in changes { try writer.apply(change) } }
        }
        try? old.close()
        if isSignedOut { return }
        onEvent(.memory(reason: error.message ?? "\(error.resultCode)"))
    }

    /// Whether the user has signed out, here or in another process.
    var isSignedOut: Bool { (try? read { try $0.note(Self.signedOut) }) != nil }

    /// Closes the database, deletes it, and says to the other processes why.
    func signOut() {
        _ = try? write(isDurable: true) { writer in
            for table in StoreTable.allCases { try writer.apply(.clear(table)) }
            try writer.apply(.note(Self.signedOut, true))
        }
        close()
        guard let path else { return }
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    /// Another process has signed out: nothing of it is read here any more.
    func forget() {
        guard let memory = try? Self.memory() else { return close() }
        let old = queue
        queue = memory
        isDurable = false
        try? old.close()
    }

    /// The rows that other processes have written since the last call, or since the store was opened; nil when they wrote nothing.
    func changesElsewhere() -> Changes? {
        do {
            return try queue.read { database in
                let version = try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
                if version == seenVersion { return nil }
                let (changes, last) = try StoreReader(database: database).changes(after: seenChange, without: number)
                (seenVersion, seenChange) = (version, last)
                return changes ?? [.everything]
            }
        } catch {
            return nil
        }
    }

    /// Closes the database.
    func close() { try? queue.close() }
}
