package import Configuration
package import Model
import PersonalData
package import Store
package import Telemetry
import ThreadMessages

/// The copies that the server makes by itself: it makes one when the newest is old enough, checks it, gives it its name, and removes
/// the oldest ones.
///
/// - Confinement: store (the backups' thread)
package final class BackupSchedule {
    /// The facts of a start.
    ///
    /// - Confinement: any
    package struct Start: Sendable {
        let configuration: BackupConfiguration
        let directory: DataDirectory
        let epoch: Epoch
        /// The names of the files with secrets.
        let secrets: [String]
        let clock: WallClock

        package init(
            _ configuration: BackupConfiguration, _ directory: DataDirectory, epoch: Epoch, secrets: [String],
            clock: WallClock
        ) {
            self.configuration = configuration
            self.directory = directory
            self.epoch = epoch
            self.secrets = secrets
            self.clock = clock
        }
    }

    /// Why a copy does not count.
    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// After an attempt that failed.
    static let retryMilliseconds: Int64 = 60_000

    private let start: Start
    private let check: DatabaseCheck
    private let metrics: BackupMetrics
    private let log: ServerLog
    /// Nil until the folder could be opened: its disk may come later.
    private var shelf: BackupShelf?
    private let ledger: ErasureLedger
    /// The size of the ledger that was copied last.
    private var ledgerBytes = 0
    /// No attempt before this time, by the clock that nobody sets.
    private var waitsUntil: Int64 = 0

    /// - Parameter check: ends the copy that is being made when it is ended.
    package init(_ start: Start, check: DatabaseCheck, metrics: BackupMetrics, log: ServerLog) {
        self.start = start
        self.check = check
        self.metrics = metrics
        self.log = log
        ledger = ErasureLedger(of: start.directory)
        if start.configuration.folder != nil {
            metrics.setInterval(milliseconds: start.configuration.everyMilliseconds)
        }
    }

    /// Makes a copy if one is due, and copies the ledger of erasures if it has grown.
    ///
    /// - Parameter isAsked: whether an operator wants a copy now.
    /// - Returns: false when the copy is damaged, so that the database is to be checked.
    package func look(isAsked: Bool = false) -> Bool {
        guard let folder = start.configuration.folder, isAsked || SteadyTime.now >= waitsUntil else { return true }
        let now = start.clock.now()
        do {
            let shelf = try shelf ?? BackupShelf(folder)
            if self.shelf == nil { try show(shelf) }
            self.shelf = shelf
            try copyLedger(to: shelf)
            guard try isAsked || isDue(shelf, at: now) else { return true }
            metrics.board.change { $0.runsSince = now }
            try make(shelf, at: now)
            try show(shelf)
            metrics.board.change { ($0.runsSince, $0.failure) = (nil, nil) }
            return true
        } catch is DatabaseCopy.Abandoned {
            metrics.board.change { $0.runsSince = nil }
            return true
        } catch {
            waitsUntil = SteadyTime.now + Self.retryMilliseconds
            // Its disk may have gone, and another one may come.
            (shelf, ledgerBytes) = (nil, 0)
            metrics.failed.add(1)
            metrics.board.change { ($0.runsSince, $0.failure) = (nil, .init(at: now, reason: "\(error)")) }
            log.error("no backup was made", ["folder": folder, "error": "\(error)"], isChange: true)
            return !(error is Problem)
        }
    }

    /// Whether the newest copy is old enough. One of the future was made while the clock was wrong, and does not count.
    private func isDue(_ shelf: BackupShelf, at now: Timestamp) throws -> Bool {
        let newest = try shelf.copies().first { $0.at <= now }
        return newest.map { now.milliseconds - $0.at.milliseconds >= start.configuration.everyMilliseconds } ?? true
    }

    private func make(_ shelf: BackupShelf, at now: Timestamp) throws {
        let began = SteadyTime.now
        let name = BackupShelf.name(at: now)
        let partial = shelf.partialPath(of: name)
        try DatabaseCopy.make(partial, of: start.directory) { [check] in !check.isEnded }
        do {
            if start.configuration.verifies { try verify(partial) }
            if start.configuration.withSecrets {
                try BackupSecrets(of: start.directory.path, start.secrets).write(besides: shelf.path(of: name))
            }
            try shelf.finish(name)
        } catch {
            try? shelf.discard(name)
            throw error
        }
        let removed = try shelf.thin(to: start.configuration.keep)
        let took = SteadyTime.now - began
        let bytes = try shelf.copies().first { $0.name == name }?.bytes ?? 0
        metrics.completed(at: now, bytes: bytes, milliseconds: Int(took))
        log.info(
            "made a backup",
            [
                "file": shelf.path(of: name), "bytes": "\(bytes)", "milliseconds": "\(took)",
                "verified": "\(start.configuration.verifies)", "removed": "\(removed)",
            ])
    }

    private func verify(_ path: String) throws {
        switch check.run(of: path, { _ in !check.isEnded }) {
        case .whole: return
        case .unfinished: throw DatabaseCopy.Abandoned()
        case .damaged(let table, let reason): throw Problem(description: "the copy of '\(table)' is damaged: \(reason)")
        case .unreadable(let table, let reason):
            throw Problem(description: "the copy of '\(table)' cannot be read: \(reason)")
        }
    }

    /// People who are erased between two copies are erased again after a restoration.
    private func copyLedger(to shelf: BackupShelf) throws {
        let bytes = ledger.bytes
        guard bytes != ledgerBytes else { return }
        try shelf.write(ledger, epoch: start.epoch)
        ledgerBytes = bytes
    }

    private func show(_ shelf: BackupShelf) throws {
        let copies = try shelf.copies()
        if let newest = copies.first { metrics.found(at: newest.at, bytes: newest.bytes) }
        metrics.board.change { state in
            state.copies = copies.map {
                BackupBoard.Copy(name: $0.name, at: $0.at, bytes: $0.bytes, hasSecrets: $0.hasSecrets)
            }
        }
    }
}

@available(*, unavailable)
extension BackupSchedule: Sendable {}
