internal import Foundation
package import Store
package import Telemetry

/// Brings the commits of a member to its disk once a second, on a thread of its own.
///
/// A member does not wait for its disk, since the journal has each commit on the disks of most servers. That rests on one
/// setting of these servers (`sync_interval: always`). Where it is missing, a power cut of all machines takes a second of each database
/// with it, and not the half minute after which the kernel writes by itself.
///
/// - Confinement: any
package final class CommitFlush: Sendable {
    private static let pauseSeconds = 1.0

    private let path: String
    private let metrics: JournalMetrics
    private let log: ServerLog
    private let over = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter directory: of the member; its database is open.
    package init(of directory: DataDirectory, _ metrics: JournalMetrics, _ log: ServerLog) {
        // SQLite keeps its locks by other files: this one may be opened and closed beside it.
        path = directory.databasePath + "-wal"
        self.metrics = metrics
        self.log = log
    }

    /// Begins; ``stop()`` must follow.
    package func start() {
        Thread.detachNewThread { [self] in
            run()
            ended.signal()
        }
    }

    private func run() {
        var hasFailed = false
        repeat {
            let began = SteadyTime.now
            do {
                let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                try handle.synchronize()
                try handle.close()
                hasFailed = false
                metrics.flushMilliseconds.observe(SteadyTime.now - began)
            } catch {
                if !hasFailed { log.error("the newest commits cannot be flushed", ["error": "\(error)"]) }
                hasFailed = true
            }
        } while over.wait(timeout: .now() + Self.pauseSeconds) == .timedOut
    }

    /// Ends the thread, and waits for it: no longer than a flush that is under way.
    package func stop() {
        over.signal()
        ended.wait()
    }
}
