import EventLoop
import Foundation
import Synchronization

/// Idle sessions: the memory that each costs the server. Needs a freshly started server.
enum IdleScenario {
    static let connectionsDefault = 1_000

    /// The unit of the plot.
    static let unit = "resident bytes each session more"
    /// The server may still be busy with the last sessions.
    private static let restSeconds = 1.0

    /// - Parameter sizes: In ascending order; the result is the additional memory of each step.
    /// - Parameter holdSeconds: How long to hold each size before it is measured, if longer than the server needs to
    ///   become idle.
    static func run(
        _ course: Course, sizes: [Int], isEncrypted: Bool, holdSeconds: Double = 0
    ) throws -> [Outcome] {
        var crews: [Crew] = []
        defer { for crew in crews { crew.stop() } }
        var before = (count: 0, reading: try course.meter.read(isThorough: true))
        let target = course.target { "idle-\($0)" }
        return try sizes.map { size in
            let began = ContinuousClock.now
            let board = ScoreBoard()
            let first = before.count
            let crew = try Crew.start(course.loopCount, connections: size - first, board: board) { loop, index in
                let indices = course.share(of: size - first, loop: index).map { first + $0 }
                return IdleMember(
                    SocketGroup(on: loop, target, as: .subscriber, indices: indices, board: board), board: board)
            }
            crews.append(crew)
            Thread.sleep(forTimeInterval: max(restSeconds, holdSeconds))
            for crew in crews { try crew.board.check() }
            let reading = try course.meter.read(isThorough: true)
            var outcome = Outcome(system: course.system, scenario: "idle", detail: detail(first, size, isEncrypted))
            outcome.note(reading, since: before.reading)
            outcome.connections = size
            outcome.seconds = (.now - began) / .seconds(1)
            outcome.unit = "sessions"
            let more = size - first
            let bytes = (reading.residentBytes - before.reading.residentBytes) / Int64(more)
            outcome.bytesPerSession = bytes
            if let now = reading.proportionalBytes, let then = before.reading.proportionalBytes {
                outcome.facts.append(("proportional bytes per session", Double(now - then) / Double(more)))
            }
            let series = course.system + (isEncrypted ? " TLS" : "")
            outcome.growth = [
                .init(axis: "idle sessions", size: Double(size), cost: Double(bytes), unit: unit, series: series)
            ]
            before = (size, reading)
            return outcome
        }
    }

    private static func detail(_ first: Int, _ size: Int, _ isEncrypted: Bool) -> String {
        (first > 0 ? "\(first.grouped) → " : "") + "\(size.grouped) sessions" + (isEncrypted ? ", TLS" : "")
    }
}

/// - Confinement: loop
private final class IdleMember: CrewMember {
    private let group: SocketGroup

    init(_ group: SocketGroup, board: ScoreBoard) {
        self.group = group
        group.onReady = { board.readyLoops.add(1, ordering: .relaxed) }
    }

    func connect() { group.connect() }
    func begin() {}
    func measure() {}
    func finish() {}
    func close() {}
}

@available(*, unavailable)
extension IdleMember: Sendable {}
