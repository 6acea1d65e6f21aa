package import ClientProtocol
package import Privacy
import Services
package import Store
import Synchronization

/// Messages to the thread that makes backups.
///
/// - Confinement: any
package enum BackupMessage: Sendable {
    case begin(ConnectionAddress, CopiedData, BackupWish)
    /// The connection is ready for the next piece.
    case next(ConnectionAddress)
    /// The connection no longer needs its copy, which is deleted.
    case end(ConnectionAddress)
    /// Make a copy in the folder of the server's own copies now.
    case copyNow
    /// A read failed: check the database for damage. The result goes to the writer.
    case check
    /// Digest the tables as they are after an entry of the journal, see ``TableDigests``. The result goes to the cluster's
    /// thread.
    case digest(DatabaseSnapshot, number: UInt64)
    case stop
}

/// The data that a client gets piece by piece.
///
/// - Confinement: any
package enum CopiedData: Sendable {
    case database
    /// The data about a user.
    case user(UserExport)
}

/// Whether a client still waits for its copy of the database; set on a loop, read by the thread that copies.
///
/// - Confinement: any
package final class BackupWish: Sendable {
    private let isOver = Atomic<Bool>(false)

    package init() {}

    /// Whether to continue.
    package var stands: Bool { !isOver.load(ordering: .relaxed) }

    /// Ends the wish: the client is gone, or has everything.
    package func end() { isOver.store(true, ordering: .relaxed) }
}

/// News about a copy that a client asked for.
///
/// - Confinement: any
package enum BackupNews: Sendable {
    /// The next bytes of the copy; nil at its end.
    case piece([UInt8]?)
    /// The copy was refused before its first byte.
    case refused(Refusal)
    /// The copy failed after its first bytes; the bytes sent are not a valid copy.
    case failed
}
