import GRDB

/// What keeps the database from being written, as far as SQLite knows.
///
/// - Confinement: any
package enum StorageFault: Int, Sendable, CaseIterable {
    case diskFull = 1
    case readOnly
    /// The disk did not confirm that it has what was written: fsync failed.
    case notFlushed
    case inputOutput
    case cannotOpen
    /// What is in the file makes no sense; no retry mends it.
    case damaged
    case locked
    case other

    /// What a failed transaction tells of the disk.
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
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked
        default: self = .other
        }
    }

    /// For people: a sentence without its full stop.
    package var reason: String {
        switch self {
        case .diskFull: "the disk is full"
        case .readOnly: "the disk can only be read"
        case .notFlushed: "the disk does not confirm what is written to it"
        case .inputOutput: "the disk fails"
        case .cannotOpen: "the database's files cannot be opened"
        case .damaged: "the database is damaged"
        case .locked: "another process holds the database"
        case .other: "the database cannot be written"
        }
    }

    /// Whether it may pass while the server runs, so that trying again is worth it.
    package var mayPass: Bool { self != .damaged }
}
