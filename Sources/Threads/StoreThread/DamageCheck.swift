import EventLoop
import Model
import Store
import Telemetry
import ThreadMessages

/// The check of the database that follows a read which SQLite could not make sense of, as the writer knows it.
///
/// A disk that failed to read for a moment and a database that is damaged look the same to a commit. So writes are tried
/// again at once, and the thread of the backups reads the whole database meanwhile. Only what it finds is called damage.
///
/// - Confinement: store
final class DamageCheck {
    private let log: ServerLog
    /// The thread that reads the database.
    private let checker: Mailbox<BackupMessage>
    private var isUnderWay = false
    /// From when on another one is worth reading everything again, in milliseconds of ``SteadyTime``.
    private var nextAt: Int64 = 0

    init(_ log: ServerLog, checker: Mailbox<BackupMessage>) {
        self.log = log
        self.checker = checker
    }

    /// Starts a check of the database, unless one is running.
    func begin() {
        guard !isUnderWay, SteadyTime.now >= nextAt else { return }
        isUnderWay = true
        log.warning("a read of the database failed; checking the database")
        checker.post(.check)
    }

    /// The check is over.
    ///
    /// - Returns: whether the database is damaged.
    func isDamage(_ finding: DatabaseCheck.Finding) -> Bool {
        isUnderWay = false
        nextAt = SteadyTime.now + Limits.checkPauseMilliseconds
        switch finding {
        case .whole(let tables):
            log.info("the database was checked and is intact", ["tables": "\(tables)"])
        case .damaged(let table, let problem):
            log.error("the database was checked and is damaged", ["table": table, "problem": problem])
            return true
        case .unreadable(let table, let problem):
            log.error(
                "the database was checked; the disk could not read all of it, but no damage was found",
                ["table": table, "problem": problem])
        case .unfinished(let tables, let count):
            log.warning(
                "the check of the database was stopped; the part that it read is intact",
                ["tables": "\(tables)", "of": "\(count)"])
        }
        return false
    }
}

@available(*, unavailable)
extension DamageCheck: Sendable {}
