import EventLoop
import Foundation
import Synchronization

/// Sessions that do nothing: what each costs the server in memory. On a server that was just started.
enum IdleScenario {
    static let connectionsDefault = 1_000

    static func run(_ course: Course, connections: Int) throws -> Outcome {
        let before = try course.meter.read(isThorough: true)
        let board = ScoreBoard()
        let target = course.target { "idle-\($0)" }
        let crew = try Crew.start(course.loopCount, connections: connections, board: board) { loop, index in
            let indices = course.share(of: connections, loop: index)
            return IdleMember(
                SocketGroup(on: loop, target, as: .subscriber, indices: indices, board: board), board: board)
        }
        var outcome = try course.measure(
            "idle", "\(connections.grouped) sessions", connections: connections, crew: crew, isPaced: true)
        outcome.count = nil
        outcome.unit = "sessions"
        let bytes = outcome.residentBytes - before.residentBytes
        outcome.bytesPerSession = bytes / Int64(max(1, connections))
        if let now = outcome.proportionalBytes, let then = before.proportionalBytes {
            outcome.facts.append(("proportional bytes per session", Double(now - then) / Double(connections)))
        }
        return outcome
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
