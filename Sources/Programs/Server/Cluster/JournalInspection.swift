import Configuration
internal import Foundation
import Telemetry
import ThreadMessages

/// Looks once a minute, on the node that leads, whether the journal's servers and its stream are as they must be: a server that was
/// installed again with the default flushes every two minutes, and nothing else would say so before a power cut.
///
/// It asks the monitoring ports (`--journal-monitor`), on a thread of its own.
///
/// - Confinement: any
final class JournalInspection: Sendable {
    private static let firstSeconds = 5.0
    private static let pauseSeconds = 60.0

    private let configuration: ServerConfiguration
    private let standing: NodeStanding
    private let board: ClusterBoard
    private let metrics: JournalMetrics
    private let log: ServerLog
    private let over = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ configuration: ServerConfiguration, _ standing: NodeStanding, _ board: ClusterBoard,
        _ metrics: JournalMetrics,
        _ log: ServerLog
    ) {
        self.configuration = configuration
        self.standing = standing
        self.board = board
        self.metrics = metrics
        self.log = log
    }

    /// Begins; ``stop()`` must follow.
    func start() {
        Thread.detachNewThread { [self] in
            run()
            ended.signal()
        }
    }

    /// Ends the thread, and waits for it: a question that is under way ends in some seconds.
    func stop() {
        over.signal()
        ended.wait()
    }

    private func run() {
        guard !configuration.cluster.monitors.isEmpty else {
            return log.warning(
                "whether the journal's servers flush each message is not checked: give --journal-monitor for that")
        }
        var known: [String] = []
        var pause = Self.firstSeconds
        while over.wait(timeout: .now() + pause) == .timedOut {
            pause = Self.pauseSeconds
            // The one that leads looks for all.
            guard standing.now.role == .leading else { continue }
            let found = Self.problems(configuration)
            board.note(problems: found)
            metrics.settingsProblems.set(found.count)
            if found != known { tell(found) }
            known = found
        }
    }

    private func tell(_ problems: [String]) {
        guard !problems.isEmpty else { return log.info("the journal and its servers are as they must be again") }
        for problem in problems {
            log.error("the journal is not as it must be", ["problem": problem], isChange: true)
        }
    }

    /// Everything that is not as it must be, in sentences.
    static func problems(_ configuration: ServerConfiguration) -> [String] {
        do {
            let survey = try JournalSurvey(of: configuration, withStream: true)
            return survey.problems
                + survey.servers.flatMap { server in
                    server.problems.map { "\(server.name ?? server.url): \($0)" }
                }
        } catch {
            return [error.description]
        }
    }
}
