import EventLoop
import Foundation
import Model
import Synchronization

/// Sessions that do nothing: what each costs the server in memory.
enum IdleScenario {
    static func run(_ bench: Bench, connections: Int) throws -> [BenchRow] {
        let before = try bench.meter.read()
        let board = ScoreBoard()
        let mint = bench.mint
        let target = BenchTarget(server: bench.server, path: "/v1/ws") { index in
            bench.user("idle-\(index)").map { mint.token(for: $0) } ?? ""
        }
        let crew = try Crew.start(bench.loopCount, board: board) { loop, index in
            let group = PeerGroup(
                on: loop,
                target,
                indices: bench.share(of: connections, loop: index),
                board: board
            )
            return IdleMember(group, board: board)
        }
        var row = try bench.measure("idle", "sessions", connections: connections, crew: crew)
        row = BenchRow(
            scenario: row.scenario,
            detail: row.detail,
            connections: connections,
            seconds: row.seconds,
            operations: nil,
            cpuSeconds: row.cpuSeconds,
            residentBytes: row.residentBytes,
            bytesPerSession: (row.residentBytes - before.residentBytes) / Int64(max(1, connections))
        )
        return [row]
    }
}

/// - Confinement: loop
private final class IdleMember: CrewMember {
    private let group: PeerGroup

    init(_ group: PeerGroup, board: ScoreBoard) {
        self.group = group
        group.onReady = { board.readyLoops.add(1, ordering: .relaxed) }
    }

    func connect() { group.connect() }
    func begin() {}
    func end() {}
}
