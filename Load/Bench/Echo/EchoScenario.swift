import EventLoop
import Synchronization

/// Messages sent to `/v1/echo` and back, one under way on each connection.
enum EchoScenario {
    static let payload = Array("0123456789abcdef0123456789abcdef".utf8)

    static func run(_ bench: Bench, connections: Int) throws -> [BenchRow] {
        let board = ScoreBoard()
        let target = BenchTarget(server: bench.server, path: "/v1/echo", token: nil)
        let crew = try Crew.start(bench.loopCount, board: board) { loop, index in
            let group = PeerGroup(
                on: loop,
                target,
                indices: bench.share(of: connections, loop: index),
                board: board
            )
            return EchoMember(group, board: board)
        }
        return [
            try bench.measure("echo", "\(payload.count) B", connections: connections, crew: crew)
        ]
    }
}

/// - Confinement: loop
private final class EchoMember: CrewMember {
    private let group: PeerGroup
    private let board: ScoreBoard

    init(_ group: PeerGroup, board: ScoreBoard) {
        self.group = group
        self.board = board
        group.onReady = { board.readyLoops.add(1, ordering: .relaxed) }
        group.onMessage = { message, peer in
            board.count.add(1, ordering: .relaxed)
            peer.send(message)
        }
    }

    func connect() { group.connect() }

    func begin() {
        for peer in group.peers { peer.send(EchoScenario.payload) }
    }

    func end() {
        group.onMessage = nil
    }
}
