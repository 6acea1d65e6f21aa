import EventLoop
import Model
import Store

/// The check of the database that follows a read which SQLite could not make sense of, as the writer knows it.
///
/// A disk that failed to read for a moment and a database that is damaged look the same to a commit. So writes are tried
/// again at once, and the thread of the backups reads the whole database meanwhile. Only what it finds is called damage.
///
/// - Confinement: store
final class DamageCheck {
    private let log: ServerLog
    /// Who reads the database; nil until it is known.
    var checker: Mailbox<BackupThread.Message>?
    private var isUnderWay = false
    /// From when on another one is worth reading everything again, in milliseconds of ``SteadyTime``.
    private var nextAt: Int64 = 0

    init(_ log: ServerLog) { self.log = log }

    /// Has the database checked, unless it is being checked.
    func begin() {
        guard let checker, !isUnderWay, SteadyTime.now >= nextAt else { return }
        isUnderWay = true
        log.warning("the database is being checked, since a read of it failed")
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
            log.info("the database was checked and is whole", ["tables": "\(tables)"])
        case .damaged(let table, let problem):
            log.error("the database was checked and is damaged", ["table": table, "problem": problem])
            return true
        case .unreadable(let table, let problem):
            log.error(
                "the database was checked and the disk could not read all of it; nothing says that it is damaged",
                ["table": table, "problem": problem])
        case .unfinished(let tables, let count):
            log.warning(
                "the check of the database was ended; what it read is whole",
                ["tables": "\(tables)", "of": "\(count)"])
        }
        return false
    }
}

@available(*, unavailable)
extension DamageCheck: Sendable {}
