import Execution
import Model
import Store
import Synchronization
import Telemetry

/// Removes entries that have become too old from the database, a few at a time.
///
/// - Confinement: store
final class LogTrimming {
    private let writer: Writer
    private let step: TrimLog
    private let clock: WallClock
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    /// The newest time that was stored when the process began; nil when there was none.
    private let newestStored: Timestamp?
    private var housekeeping: Housekeeping?

    /// - Parameter tick: milliseconds of ``SteadyTime``, if the wall clock is believed; nil lets the clock of the log begin at
    ///   the first step. It begins as early as it can: if the wall clock were set back before that, the writes until then
    ///   would be younger than their mark.
    init(
        _ step: TrimLog, in writer: Writer, _ clock: WallClock, _ metrics: Metrics, _ storage: StorageHealth,
        _ log: ServerLog, beginningAt tick: Int64?
    ) {
        self.step = step
        self.writer = writer
        self.clock = clock
        self.metrics = metrics
        self.storage = storage
        self.log = log
        newestStored = Self.newestStored(writer, log)
        housekeeping = tick.map(begin)
    }

    private func begin(at tick: Int64) -> Housekeeping {
        Housekeeping(wall: clock.now(), tick: tick, newest: newestStored, head: writer.head)
    }

    /// The newest time that was stored before this process writes any: its clock may be late.
    ///
    /// A process that ends within its first second has noted no mark of the log, and only its writes say what time it was.
    /// The next one may have run with a clock that was late, and have noted no mark either.
    private static func newestStored(_ writer: Writer, _ log: ServerLog) -> Timestamp? {
        do {
            return try writer.read {
                try [$0.retention.newestTime(), $0.keys.newestTime(among: Limits.keysKeptMin)]
            }.compactMap { $0 }.max()
        } catch {
            log.error("the newest of the stored times cannot be read", ["error": "\(error)"])
            return nil
        }
    }

    /// Does one step.
    ///
    /// - Parameter tick: milliseconds of ``SteadyTime``.
    /// - Throws: when the commit failed.
    /// - Returns: whether more is too old already.
    func trim(at tick: Int64) throws -> Bool {
        var house = housekeeping ?? begin(at: tick)
        let lag = house.lag(wall: clock.now(), tick: tick)
        house.catchUp(byMilliseconds: lag)
        let clocks = house.clocks(tick: tick)
        let committed = try storage.duringCommit {
            try writer.commit([step]) { step, transaction in
                if lag > 0 {
                    try transaction.retention.shiftMarks(from: house.firstMark, byMilliseconds: lag)
                }
                return Result<TrimLog.Report, any Error>.success(try step.perform(in: transaction, at: clocks))
            } refuse: {
                .failure($0)
            }
        }
        housekeeping = house
        guard case .success(let report)? = committed.items.first?.outcome else {
            log.error("the log could not be trimmed", ["error": "\(committed.items.map(\.outcome))"])
            return false
        }
        metrics.logTrimmed.add(report.trimmed)
        for kind in [RetentionKind.log, .edits, .audit] {
            metrics.retention.note(
                kind, at: report.at, oldest: report.oldest[kind],
                removed: kind == .log ? report.trimmed : report.removed[kind] ?? 0, kept: step.times[kind])
        }
        metrics.logRetainedFrom.set(Int(report.retainedFrom.value))
        metrics.logEntries.set(Int(writer.head.value - report.retainedFrom.value))
        return report.isMoreDue
    }
}

@available(*, unavailable)
extension LogTrimming: Sendable {}
