import EventLoop
import Foundation
import Synchronization

/// The things to remove when this program is ended early: the processes that it has started, and its folder.
///
/// - Confinement: any
final class Remains: Sendable {
    /// The single instance of this program.
    static let own = Remains()

    /// Protected by its lock.
    private struct Entries {
        var processes: Set<pid_t> = []
        var folder: URL?
        /// The thread that receives the signals.
        var thread: LoopThread?
    }
    private let entries = Mutex(Entries())

    /// Starts a process and remembers it, so that it is ended with this program; `ended` removes it.
    func start(_ process: Process) throws {
        // Under the lock, so that no signal comes between the start and the entry.
        try entries.withLock { entries in
            try process.run()
            entries.processes.insert(process.processIdentifier)
        }
    }

    func ended(_ process: Process) {
        _ = entries.withLock { $0.processes.remove(process.processIdentifier) }
    }

    /// From now on SIGINT and SIGTERM remove everything before this program ends.
    ///
    /// - Parameter last: Called with the reason before anything is ended, so that failures caused by the end are not
    ///   reported.
    /// The servers do not get the terminal's SIGINT, because each has a process group of its own.
    func removeAtSignals(folder: URL, last: @escaping @Sendable (String) -> Void) throws {
        entries.withLock { $0.folder = folder }
        let thread = try LoopThread.start(named: "load-signals") { [self] loop in
            var sources: [SignalSource] = []
            for signal in [SIGINT, SIGTERM] {
                let source = try SignalSource(on: loop, signal: signal) { [self] in
                    // The sources must live as long as the loop runs.
                    withExtendedLifetime(sources) { leave(after: signal, last) }
                }
                sources.append(source)
            }
        }
        entries.withLock { $0.thread = thread }
    }

    /// The lock is never released, so that no process is started any more.
    private func leave(after signal: Int32, _ last: (String) -> Void) {
        entries.withLock { entries in
            last("ended by signal \(signal)")
            for process in entries.processes { kill(process, SIGKILL) }
            let end = Date().addingTimeInterval(2)
            while entries.processes.contains(where: { kill($0, 0) == 0 }), Date() < end {
                Thread.sleep(forTimeInterval: 0.01)
            }
            if let folder = entries.folder { try? FileManager.default.removeItem(at: folder) }
            Terminal.note("\nended by signal \(signal)")
            _exit(128 + signal)
        }
    }
}
