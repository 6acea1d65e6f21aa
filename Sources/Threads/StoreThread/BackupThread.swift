import ClientProtocol
package import EventLoop
import Model
import Privacy
import Services
package import Store
import Synchronization
package import Telemetry
package import ThreadMessages

/// The thread that copies the database, or what is kept about a user, and hands the copy out, piece by piece, each when it is
/// asked for: disks are slow, clients are slower, and neither loops nor readers wait for them. One copy at a time.
///
/// - Confinement: store (its own thread)
package final class BackupThread {

    private let directory: DataDirectory
    private let check: DatabaseCheck
    /// Nil in tests that make no copies by themselves.
    private let schedule: BackupSchedule?
    private let metrics: Metrics
    private let log: ServerLog
    private let mail: Mailboxes
    private var lookTimer: LoopTimer?
    private var current: (address: ConnectionAddress, copy: DataCopy)?

    /// - Parameter own: how the server makes copies by itself.
    /// - Throws: Foundation's error, when the remains of an earlier server cannot be removed.
    package init(
        _ directory: DataDirectory, check: DatabaseCheck, own: BackupSchedule.Start? = nil, mail: Mailboxes,
        metrics: Metrics,
        log: ServerLog, on loop: Loop
    ) throws {
        self.directory = directory
        self.check = check
        schedule = own.map { BackupSchedule($0, check: check, metrics: metrics.backups, log: log) }
        self.mail = mail
        self.metrics = metrics
        self.log = log
        try DatabaseCopy.removeRemains(in: directory)
        let timer = LoopTimer(on: loop) { [unowned self] in
            lookAtDisk()
            lookAtCopies()
        }
        timer.start(afterMilliseconds: 0, repeatingMilliseconds: Self.lookMilliseconds)
        lookTimer = timer
    }

    /// A page of figures is read every 15 s, as a rule.
    private static let lookMilliseconds: Int64 = 5000

    /// The disk may keep this thread waiting, and holds up nobody else.
    private func lookAtDisk() {
        metrics.machine.look(
            atDatabase: directory.databasePath, search: directory.searchPath, folder: directory.path)
    }

    /// - Parameter isAsked: whether an operator wants a copy now.
    private func lookAtCopies(isAsked: Bool = false) {
        // A damaged copy is most often one of a damaged database.
        if schedule?.look(isAsked: isAsked) == false { checkDatabase() }
    }

    /// Takes what other threads say.
    ///
    /// - Returns: true when it was asked to stop, and has.
    package func receive(_ messages: [BackupMessage]) -> Bool {
        for message in messages {
            switch message {
            case .begin(let address, let data, let wish): begin(address, data, wish)
            case .next(let address) where address == current?.address: sendPiece()
            case .end(let address) where address == current?.address: close()
            case .next, .end: break
            case .copyNow: lookAtCopies(isAsked: true)
            case .check: checkDatabase()
            case .digest(let tables, let number): digest(tables, number)
            case .stop:
                close()
                lookTimer?.close()
                return true
            }
        }
        return false
    }

    private func begin(_ address: ConnectionAddress, _ data: CopiedData, _ wish: BackupWish) {
        guard current == nil else {
            let refusal = Refusal(
                .tooMany, "another backup or export is being made; one at a time", retryAfterMilliseconds: 10_000)
            return tell(address, .refused(refusal))
        }
        switch data {
        case .database: beginBackup(for: address, wish)
        case .user(let export): begin(export, for: address)
        }
    }

    private func begin(_ export: UserExport, for address: ConnectionAddress) {
        do {
            current = (address, .user(try ExportCopy(export, of: directory)))
            metrics.exports.add(1)
            sendPiece()
        } catch let refusal as Refusal {
            tell(address, .refused(refusal))
        } catch {
            log.error("a user's data could not be read", ["error": "\(error)"])
            tell(address, .refused(Refusal(.internal, "the data could not be read; the log says why")))
        }
    }

    private func beginBackup(for address: ConnectionAddress, _ wish: BackupWish) {
        do {
            log.info("copying the database for a backup")
            let began = SteadyTime.now
            let copy = try DatabaseCopy(of: directory) { wish.stands }
            current = (address, .database(copy))
            let took = SteadyTime.now - began
            metrics.backups.completed(at: log.now, bytes: try copy.bytes(), milliseconds: Int(took))
            log.info("copied the database", ["milliseconds": "\(took)"])
            sendPiece()
        } catch is DatabaseCopy.Abandoned {
            log.info("the backup was abandoned: its client has gone")
        } catch let lack as DatabaseCopy.NoRoom {
            log.error("the database could not be copied", ["error": "\(lack)"])
            tell(address, .refused(Refusal(.unavailable, "there is no room for the copy: \(lack)")))
        } catch {
            log.error("the database could not be copied", ["error": "\(error)"])
            tell(address, .refused(Refusal(.internal, "the database could not be copied; the log says why")))
        }
    }

    /// Reads the whole database; a backup that is asked for meanwhile waits.
    private func checkDatabase() {
        let began = SteadyTime.now
        let finding = check.run { table in
            log.info("checking the database", ["table": table])
            return SteadyTime.now - began < Limits.checkMilliseconds
        }
        mail.writer.post(.checked(finding))
    }

    /// Reads all tables, as they were at an entry of the journal.
    private func digest(_ tables: DatabaseSnapshot, _ number: UInt64) {
        let began = SteadyTime.now
        do {
            let digests = TableDigests(try tables.digest(), number: number, milliseconds: SteadyTime.now - began)
            try tables.close()
            log.info(
                "digested the tables",
                ["entry": "\(digests.entry)", "rows": "\(digests.rows)", "milliseconds": "\(digests.milliseconds)"])
            mail.cluster?.post(.digested(digests))
        } catch {
            log.error("the tables could not be digested", ["error": "\(error)"])
        }
    }

    private func sendPiece() {
        guard let (address, copy) = current else { return }
        do {
            let piece = try copy.read(upToCount: Limits.backupPieceBytes)
            tell(address, .piece(piece))
            if piece == nil { close() }
        } catch {
            log.error("a backup or an export could not be read", ["error": "\(error)"])
            tell(address, .failed)
            close()
        }
    }

    private func close() {
        do {
            try current?.copy.close()
        } catch {
            log.error("a copy could not be closed", ["error": "\(error)"])
        }
        current = nil
    }

    private func tell(_ address: ConnectionAddress, _ news: BackupNews) {
        mail.loops[address.loop].post(.backup(address, news))
    }
}

@available(*, unavailable)
extension BackupThread: Sendable {}
