import GRDB

/// Why the database cannot be written, as far as SQLite knows.
///
/// - Confinement: any
package enum StorageFault: Int, Sendable, CaseIterable {
    case diskFull = 1
    /// The disk is full, and SQLite's log (`watchwise.db-wal`) takes a large part of it.
    case diskFullOfLog
    case readOnly
    /// The disk did not confirm the writes: fsync failed.
    case notFlushed
    case inputOutput
    case cannotOpen
    /// SQLite could not make sense of a page. A disk that fails to read causes the same error (`SQLITE_CORRUPT`) as
    /// damage, so this alone says nothing about the file on the disk.
    case unreadable
    /// A check of the whole database (``DatabaseCheck``) has found damage that no retry mends.
    case damaged
    case locked
    case other

    /// The state of the disk by the error of a failed transaction.
    package init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            self = .other
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull
        case .SQLITE_READONLY: self = .readOnly
        case .SQLITE_IOERR:
            let isFlush = [.SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC].contains(error.extendedResultCode)
            self = isFlush ? .notFlushed : .inputOutput
        case .SQLITE_CANTOPEN: self = .cannotOpen
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .unreadable
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
        default: self = .other
        }
    }

    /// For people: a sentence without its full stop.
    package var reason: String {
        switch self {
        case .diskFull: "the disk is full"
        case .diskFullOfLog: "the disk is full: the server's own log takes a large part of it, and moving it needs room"
        case .readOnly: "the disk is read-only"
        case .notFlushed: "the disk does not confirm writes"
        case .inputOutput: "the disk fails"
        case .cannotOpen: "the database's files cannot be opened"
        case .unreadable: "the database could not be read; it is being checked"
        case .damaged: "the database is damaged"
        case .locked: "another process holds the database"
        case .other: "the database cannot be written"
        }
    }

    /// Whether it may pass while the server runs, so that trying again is worth it.
    package var mayPass: Bool { self != .damaged }

    /// Whether a connection's caches are in doubt, so that it must be opened again.
    package var doubtsConnection: Bool {
        switch self {
        case .inputOutput, .cannotOpen, .unreadable, .damaged: true
        // After a failed flush the frames are written again in the place of the old ones: for that the connection must
        // remember where they end; see `Faults`.
        case .diskFull, .diskFullOfLog, .readOnly, .notFlushed, .locked, .other: false
        }
    }

    /// Whether an error speaks of the file or the disk, and not of the statement that met it.
    package static func isMet(by error: any Error) -> Bool {
        guard error is DatabaseError else { return false }
        let fault = StorageFault(error)
        return fault.doubtsConnection || [.diskFull, .readOnly, .notFlushed].contains(fault)
    }
}
