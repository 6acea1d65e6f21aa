import Client
import EventLoop
import JSON
import Synchronization
import Wire

/// Bodies posted to one path of the HTTP API over kept connections, one at a time on each.
struct Posting: Sendable {
    let server: ServerAddress
    let target: String
    let token: String
    /// Connections.
    let atOnce: Int
    /// The name of the times in the results.
    let time: String
    /// The next body and the number of things in it, given the number posted before; nil after the last one.
    let body: @Sendable (Int) -> (JSONValue, count: Int)?

    init(
        server: ServerAddress, target: String, token: String, atOnce: Int, time: String,
        body: @escaping @Sendable (Int) -> (JSONValue, count: Int)?
    ) {
        self.server = server
        self.target = target
        self.token = token
        self.atOnce = atOnce
        self.time = time
        self.body = body
    }

    func crew() throws -> Crew {
        let board = ScoreBoard()
        return try Crew.start(1, connections: atOnce, board: board) { [self] loop, _ in
            PostingMember(self, on: loop, board: board)
        }
    }

    /// Posts until the last body is done.
    static func finish(_ crew: Crew, _ problem: String, _ look: (Int) -> Void) throws {
        crew.begin()
        defer { crew.stop() }
        try crew.board.wait(seconds: 3_600, problem) {
            look(crew.board.count.load(ordering: .relaxed))
            return crew.board.isDone.load(ordering: .relaxed)
        }
    }
}

/// - Confinement: loop
private final class PostingMember: CrewMember {
    private let posting: Posting
    private let headers: HTTPHeaders
    private let board: ScoreBoard
    private let connections: [HTTPConnection]
    private var next = 0
    /// Prepared while others are on their way, so that no time passes between an answer and the next post.
    private var prepared: (body: [UInt8], count: Int)?
    /// Prepares after the loop's turn, at whose end posted bytes leave.
    private lazy var preparing = LoopTimer(on: loop) { [unowned self] in if prepared == nil { prepare() } }
    private let loop: Loop
    private var underWay = 0
    private var isPosting = false
    private var times = Latencies()

    init(_ posting: Posting, on loop: Loop, board: ScoreBoard) {
        self.posting = posting
        self.board = board
        self.loop = loop
        headers = ["Authorization": "Bearer \(posting.token)", "Content-Type": "application/json"]
        connections = (0..<posting.atOnce).map { _ in HTTPConnection(on: loop, to: posting.server) }
    }

    func connect() { board.readyLoops.add(1, ordering: .relaxed) }

    func begin() {
        isPosting = true
        for connection in connections { post(connection) }
    }

    func measure() { times.forget() }

    func finish() { isPosting = false }

    func close() {
        preparing.close()
        for connection in connections { connection.close() }
        board.add(times, as: posting.time)
    }

    private func post(_ connection: HTTPConnection) {
        if prepared == nil { prepare() }
        guard isPosting, let (body, count) = prepared.take() else {
            if underWay == 0 { board.isDone.store(true, ordering: .relaxed) }
            return
        }
        let start = ContinuousClock.now
        underWay += 1
        board.owed.add(count, ordering: .relaxed)
        let request = HTTPRequest(method: "POST", target: posting.target, headers: headers, body: body)
        connection.perform(request, timeoutMilliseconds: 60_000) { [unowned self] result in
            underWay -= 1
            switch result {
            case .success(let response) where response.status == 200:
                times.record(.now - start)
                board.count.add(count, ordering: .relaxed)
                post(connection)
            case .success(let response):
                let text = String(decoding: response.body.prefix(300), as: UTF8.self)
                board.fail("\(posting.target) was answered with \(response.status) \(text)")
            case .failure(let failure): board.fail("\(posting.target): \(failure.description)")
            }
        }
        preparing.start(afterMilliseconds: 1)
    }

    private func prepare() {
        guard let (body, count) = posting.body(next) else { return }
        next += count
        prepared = (body.bytes, count)
    }
}

@available(*, unavailable)
extension PostingMember: Sendable {}
