package import ClientProtocol
import EventLoop
import Services
import Synchronization

/// What other threads tell the thread of the backups.
///
/// - Confinement: any
package enum BackupMessage: Sendable {
    case begin(ConnectionAddress, BackupWish)
    /// The connection took what it was given.
    case next(ConnectionAddress)
    /// The connection's wish is over: its copy goes.
    case end(ConnectionAddress)
    /// A read of the database failed: is it damaged? The writer gets the answer.
    case check
    case stop
}

/// Whether somebody still waits for a copy of the database; set on a loop, asked by the copying thread.
///
/// - Confinement: any
package final class BackupWish: Sendable {
    private let isOver = Atomic<Bool>(false)

    package init() {}

    /// Whether to go on.
    package var stands: Bool { !isOver.load(ordering: .relaxed) }

    /// The client is gone, or has everything.
    package func end() { isOver.store(true, ordering: .relaxed) }
}

/// What comes of a wish for a copy.
///
/// - Confinement: any
package enum BackupNews: Sendable {
    /// Bytes of the copy, in order; none at its end.
    case piece([UInt8]?)
    /// Before anything came: not now, or not at all.
    case refused(Refusal)
    /// In the midst of it: what was sent is no copy.
    case failed
}
