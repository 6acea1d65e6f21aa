import Model
import Privacy
import Services
import Store
import ThreadMessages

/// Data on their way to a client.
///
/// - Confinement: store (the backups' thread)
enum DataCopy {
    case database(DatabaseCopy)
    case user(ExportCopy)

    /// The next bytes; nil at the end.
    func read(upToCount count: Int) throws -> [UInt8]? {
        switch self {
        case .database(let copy): try copy.read(upToCount: count)
        case .user(let copy): try copy.next(bytesMin: count / 2)
        }
    }

    /// Nothing may be read afterwards.
    func close() throws {
        switch self {
        case .database(let copy): try copy.close()
        case .user(let copy): try copy.close()
        }
    }
}

/// The export of a user's data, from one snapshot: the writer writes on meanwhile, and no reader is taken.
///
/// - Confinement: store (the backups' thread)
final class ExportCopy {
    private let snapshot: DatabaseSnapshot
    private var run: UserExportRun

    /// - Throws: `Refusal` when there is no such user; `DatabaseError`.
    init(_ export: UserExport, of directory: DataDirectory) throws {
        let snapshot = try DatabaseSnapshot(of: directory)
        do {
            run = try snapshot.read { try UserExportRun(export, in: $0) }
        } catch {
            try snapshot.close()
            throw error
        }
        self.snapshot = snapshot
    }

    /// The next lines; nil at the end.
    func next(bytesMin: Int) throws -> [UInt8]? {
        try snapshot.read { try run.next(in: $0, bytesMin: bytesMin) }
    }

    func close() throws { try snapshot.close() }
}

@available(*, unavailable)
extension ExportCopy: Sendable {}
