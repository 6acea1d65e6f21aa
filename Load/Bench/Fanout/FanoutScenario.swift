import Client
import EventLoop
import Foundation
import JSON
import Model
import Synchronization
import Wire

/// One notification to a topic that all connections follow, the next when every one has it.
enum FanoutScenario {
    static func run(_ bench: Bench, connections: Int) throws -> [BenchRow] {
        guard let topic = Topic(kind: "station", id: "bench-\(bench.run)"), let admin = bench.user("admin") else {
            throw LoadFailure("the run's name \(bench.run) makes no topic")
        }
        let board = ScoreBoard()
        let mint = bench.mint
        let target = BenchTarget(server: bench.server, path: "/v1/ws") { index in
            bench.user("fan-\(index)").map { mint.token(for: $0) } ?? ""
        }
        let publisher = Publisher(
            server: bench.server,
            token: mint.token(for: admin, isAdmin: true),
            topic: topic,
            receivers: connections
        )
        let crew = try Crew.start(bench.loopCount, board: board) { loop, index in
            let indices = bench.share(of: connections, loop: index)
            let group = PeerGroup(on: loop, target, indices: indices, board: board)
            return FanoutMember(
                group,
                on: loop,
                board: board,
                topic: topic,
                publisher: index == 0 ? publisher : nil,
                receivers: connections
            )
        }
        return [
            try bench.measure(
                "fanout",
                "1 → \(connections.grouped)",
                connections: connections,
                crew: crew,
                latencies: ["publishToAll"]
            )
        ]
    }

    /// What the publishing loop needs.
    struct Publisher: Sendable {
        let server: ServerAddress
        let token: String
        let topic: Topic
        let receivers: Int

        var request: HTTPRequest {
            let body: JSONValue = ["audience": .string(topic.text), "title": "bench", "body": "0123456789abcdef"]
            return HTTPRequest(
                method: "POST",
                target: "/v1/broadcasts",
                headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: body.bytes
            )
        }
    }
}

/// - Confinement: loop
private final class FanoutMember: CrewMember {
    private let group: PeerGroup
    private let loop: Loop
    private let board: ScoreBoard
    private let topic: Topic
    private let publisher: FanoutScenario.Publisher?
    private let receivers: Int
    private var connection: HTTPConnection?
    private var timer: LoopTimer?
    private var followed = 0
    private var published = 0
    private var publishedAt = ContinuousClock.now
    private var isPublishing = false
    private var latencies = Latencies()

    init(
        _ group: PeerGroup,
        on loop: Loop,
        board: ScoreBoard,
        topic: Topic,
        publisher: FanoutScenario.Publisher?,
        receivers: Int
    ) {
        self.group = group
        self.loop = loop
        self.board = board
        self.topic = topic
        self.publisher = publisher
        self.receivers = receivers
        group.onReady = { [unowned self] in follow() }
        group.onMessage = { [unowned self] message, _ in receive(message) }
    }

    func connect() { group.connect() }

    func begin() {
        guard let publisher else { return }
        connection = HTTPConnection(on: loop, to: publisher.server)
        isPublishing = true
        publish()
    }

    func end() {
        isPublishing = false
        connection?.close()
        timer?.close()
        timer = nil
        board.add(latencies, as: "publishToAll")
    }

    private func follow() {
        guard !group.peers.isEmpty else {
            board.readyLoops.add(1, ordering: .relaxed)
            return
        }
        let command = ClientCommand.follow(topic).encoded(id: 1)
        for peer in group.peers { peer.send(command) }
    }

    private func receive(_ message: [UInt8]) {
        switch BenchMessage.kind(of: message) {
        case .notification:
            let count = board.count.add(1, ordering: .relaxed).newValue
            if isPublishing, count == published * receivers { allArrived() }
        case .ok:
            followed += 1
            if followed == group.peers.count { board.readyLoops.add(1, ordering: .relaxed) }
        case .error: board.fail("follow: " + String(decoding: message.prefix(300), as: UTF8.self))
        case .message, .other: break
        }
    }

    private func publish() {
        guard let publisher, isPublishing else { return }
        published += 1
        publishedAt = .now
        connection?.perform(publisher.request) { [unowned self] result in
            switch result {
            case .success(let response) where response.status == 202: watch()
            case .success(let response):
                board.fail(
                    "broadcast: \(response.status) \(String(decoding: response.body.prefix(300), as: UTF8.self))")
            case .failure(let failure): board.fail("broadcast: \(failure.description)")
            }
        }
    }

    /// With several loops the last one to count may be another's: this loop looks again and again.
    private func watch() {
        guard isPublishing, timer == nil else { return }
        let timer = LoopTimer(on: loop) { [unowned self] in
            if board.count.load(ordering: .relaxed) == published * receivers { allArrived() }
        }
        timer.start(afterMilliseconds: 1, repeatingMilliseconds: 1)
        self.timer = timer
    }

    private func allArrived() {
        latencies.record(.now - publishedAt)
        publish()
    }
}
