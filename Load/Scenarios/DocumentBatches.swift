import Client
import EventLoop
import JSON
import Synchronization
import Wire

/// Documents written over the HTTP API, so many in each request, which is one commit.
struct DocumentBatches: Sendable {
    let course: Course
    let batch: Int
    /// Requests under way.
    let atOnce: Int
    /// The nth write; nil when there are no more.
    let write: @Sendable (Int) -> JSONValue?

    init(course: Course, batch: Int, atOnce: Int, write: @escaping @Sendable (Int) -> JSONValue?) {
        self.course = course
        self.batch = batch
        self.atOnce = atOnce
        self.write = write
    }

    /// Writes them all, to the last.
    func run(_ look: (Int) -> Void) throws {
        let crew = try crew()
        crew.begin()
        defer { crew.stop() }
        try crew.board.wait(seconds: 3_600, "not all documents were written") {
            look(crew.board.count.load(ordering: .relaxed))
            return crew.board.isDone.load(ordering: .relaxed)
        }
    }

    /// Those who write.
    func crew() throws -> Crew {
        let board = ScoreBoard()
        let admin = course.user("admin")
        guard let mint = course.mint, let admin else { throw LoadFailure("this server has no administrator") }
        let token = mint.token(for: admin, isAdmin: true)
        return try Crew.start(1, connections: atOnce, board: board) { [self] loop, _ in
            BatchMember(self, token: token, on: loop, board: board)
        }
    }
}

/// - Confinement: loop
private final class BatchMember: CrewMember {
    private let batches: DocumentBatches
    private let headers: HTTPHeaders
    private let board: ScoreBoard
    private let connections: [HTTPConnection]
    private var next = 0
    private var underWay = 0
    private var isWriting = false
    private var times = Latencies()

    init(_ batches: DocumentBatches, token: String, on loop: Loop, board: ScoreBoard) {
        self.batches = batches
        self.board = board
        headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        connections = (0..<batches.atOnce).map { _ in HTTPConnection(on: loop, to: batches.course.server) }
    }

    func connect() { board.readyLoops.add(1, ordering: .relaxed) }

    func begin() {
        isWriting = true
        for connection in connections { post(connection) }
    }

    func measure() { times.forget() }

    func finish() { isWriting = false }

    func close() {
        for connection in connections { connection.close() }
        board.add(times, as: WritesScenario.time)
    }

    private func post(_ connection: HTTPConnection) {
        var writes: [JSONValue] = []
        while isWriting, writes.count < batches.batch, let write = batches.write(next) {
            writes.append(write)
            next += 1
        }
        guard !writes.isEmpty else {
            if underWay == 0 { board.isDone.store(true, ordering: .relaxed) }
            return
        }
        let count = writes.count
        let start = ContinuousClock.now
        underWay += 1
        board.owed.add(count, ordering: .relaxed)
        let request = HTTPRequest(
            method: "POST", target: "/v1/documents", headers: headers,
            body: (["writes": .array(writes)] as JSONValue).bytes)
        connection.perform(request, timeoutMilliseconds: 60_000) { [unowned self] result in
            underWay -= 1
            switch result {
            case .success(let response) where response.status == 200:
                times.record(.now - start)
                board.count.add(count, ordering: .relaxed)
                post(connection)
            case .success(let response):
                let text = String(decoding: response.body.prefix(300), as: UTF8.self)
                board.fail("a batch was answered with \(response.status) \(text)")
            case .failure(let failure): board.fail("a batch: \(failure.description)")
            }
        }
    }
}

@available(*, unavailable)
extension BatchMember: Sendable {}
