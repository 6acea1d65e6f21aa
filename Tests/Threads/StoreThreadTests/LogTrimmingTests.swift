import Execution
import Model
import Quotas
import Store
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import StoreThread

/// The age of the log's entries when the wall clock is set while the server runs: no entry goes before its time.
struct LogTrimmingTests {
    private static let retention: Int64 = 20_000

    /// The two clocks of a machine.
    private final class Clocks: Sendable {
        private let steady = Mutex<Int64>(0)
        /// By how many milliseconds the wall clock is ahead of the steady clock.
        private let ahead = Mutex<Int64>(0)

        var wall: Timestamp {
            Timestamp(milliseconds: 1_795_000_000_000 + steady.withLock { $0 } + ahead.withLock { $0 })
        }

        func setWall(aheadByMilliseconds milliseconds: Int64) { ahead.withLock { $0 = milliseconds } }

        /// - Returns: the new time of the steady clock.
        func pass(milliseconds: Int64) -> Int64 {
            steady.withLock { time in
                time += milliseconds
                return time
            }
        }
    }

    /// A database, and the servers that run on it one after the other.
    private final class Machine {
        private let folder = TemporaryFolder()
        private let writer: Writer
        private let clocks = Clocks()
        private var trimming: LogTrimming?

        init() throws {
            writer = try Storage.openWriter(DataDirectory(folder.path))
            restart()
        }

        /// The next process begins.
        func restart() {
            trimming = LogTrimming(
                TrimLog(RetentionTimes(log: retention)), in: writer, WallClock { [clocks] in clocks.wall },
                Metrics(peerMemory: PeerMemory(bytesMax: 1 << 20)), StorageHealth(), ServerLog(minimum: .silent),
                beginningAt: clocks.pass(milliseconds: 0))
        }

        func setWall(aheadByMilliseconds milliseconds: Int64) {
            clocks.setWall(aheadByMilliseconds: milliseconds)
        }

        /// Lets time pass; the server trims the log each second.
        func pass(seconds: Int) throws {
            for _ in 0..<seconds {
                let tick = clocks.pass(milliseconds: Housekeeping.pauseMilliseconds)
                _ = try #require(trimming).trim(at: tick)
            }
        }

        /// Adds an entry to the log.
        func write() throws -> Position {
            let committed = try writer.commit([()]) { _, transaction in
                Result<Position, any Error>.success(try transaction.appendSilently())
            } refuse: {
                .failure($0)
            }
            return try committed.items[0].outcome.get()
        }

        func retainedFrom() throws -> Position { try writer.read { try $0.retention.from() } }
    }

    @Test(arguments: [1, 999, 5000, 480_000, Limits.clockStepMilliseconds, Limits.clockStepMilliseconds + 1])
    func `an entry that follows a step of the clock is kept for its time by the next process`(step: Int64) throws {
        let machine = try Machine()
        try machine.pass(seconds: 3)
        machine.setWall(aheadByMilliseconds: step)
        let entry = try machine.write()
        try machine.pass(seconds: 2)
        // The newest entry of the log is always kept, so another one follows.
        _ = try machine.write()
        machine.restart()
        try machine.pass(seconds: 17)
        #expect(try machine.retainedFrom() < entry)
        try machine.pass(seconds: 2)
        #expect(try machine.retainedFrom() == entry)
    }

    @Test func `a clock that is set back before the first step makes no entry older than it is`() throws {
        let machine = try Machine()
        let entry = try machine.write()
        machine.setWall(aheadByMilliseconds: -2_400_000)
        try machine.pass(seconds: 1)
        _ = try machine.write()
        machine.setWall(aheadByMilliseconds: 0)
        machine.restart()
        try machine.pass(seconds: 18)
        #expect(try machine.retainedFrom() < entry)
        try machine.pass(seconds: 3)
        #expect(try machine.retainedFrom() == entry)
    }

    @Test func `a clock that steps to and fro makes no entry older than it is`() throws {
        let machine = try Machine()
        try machine.pass(seconds: 1)
        for _ in 0..<5 {
            machine.setWall(aheadByMilliseconds: 500_000)
            try machine.pass(seconds: 1)
            machine.setWall(aheadByMilliseconds: 0)
            try machine.pass(seconds: 1)
        }
        machine.setWall(aheadByMilliseconds: 500_000)
        let entry = try machine.write()
        try machine.pass(seconds: 1)
        _ = try machine.write()
        machine.restart()
        try machine.pass(seconds: 18)
        #expect(try machine.retainedFrom() < entry)
        try machine.pass(seconds: 2)
        #expect(try machine.retainedFrom() == entry)
    }
}
