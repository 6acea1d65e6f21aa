import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import Synchronization

/// What reading and writing cost when ever more is stored: one chat filled to several lengths, and at each the time of a
/// message, of a page of history, and of coming back to so many missed events.
struct StoredScenario: Sendable {
    private static let asked = 60
    /// Sessions of the sender while the chat is filled: one may send but a thousand a second.
    private static let devices = 8
    /// Whoever missed more must fetch anew: 5,000 events at most, and a message may bring more than one.
    private static let resumableMax = 2_000
    private static let returns = 10

    var lengths: [Int]

    func run(_ course: Course) throws -> [Outcome] {
        guard let alice = course.user("stored-a"), let bob = course.user("stored-b"), let mint = course.mint else {
            throw LoadFailure("the run's name \(course.run) makes no user")
        }
        let asBob = AdminCalls(server: course.server, token: mint.token(for: bob))
        let asAlice = AdminCalls(server: course.server, token: mint.token(for: alice))
        _ = try asAlice.command(["type": "follow", "topic": .string(Topic(user: bob).text)])
        var stored = 0
        return try lengths.sorted().flatMap { length in
            let missed = min(length - stored, Self.resumableMax)
            try fill(course, from: stored, to: length - missed, bob)
            let cursor = try Returning.visit(course, bob, since: nil).cursor
            try fill(course, from: length - missed, to: length, bob)
            stored = length
            guard let name = ChatID(between: alice, and: bob) else { throw LoadFailure("no chat of one") }
            let chat = JSONValue.string(name.text)
            var outcomes = missed > 0 ? [try resume(course, bob, since: cursor, events: missed)] : []
            outcomes += [
                try time(course, "a page of history, newest", length) {
                    _ = try asBob.command(["type": "history", "chat": chat, "limit": 50])
                },
                try time(course, "a page of history, oldest", length) {
                    _ = try asBob.command(["type": "history", "chat": chat, "after": 0, "limit": 50])
                },
                try time(course, "the list of chats", length) { _ = try asBob.command(["type": "chats"]) },
            ]
            var number = 0
            outcomes.append(
                try time(course, "one message", length) {
                    number += 1
                    _ = try asAlice.command([
                        "type": "send", "to": .string(bob.text), "text": "one more",
                        "key": .string("more-\(length)-\(number)"),
                    ])
                })
            stored += number
            return outcomes
        }
    }

    /// Times something done again and again, each time over a connection of its own.
    private func time(_ course: Course, _ what: String, _ size: Int, _ body: () throws -> Void) throws -> Outcome {
        var times = Latencies()
        let (began, before) = (ContinuousClock.now, try course.meter.read())
        for _ in 0..<Self.asked {
            let start = ContinuousClock.now
            try body()
            times.record(.now - start)
        }
        return try outcome(course, what, "messages stored in the chat", size, times, began, before, Self.asked)
    }

    private func outcome(
        _ course: Course, _ what: String, _ axis: String, _ size: Int, _ times: Latencies,
        _ began: ContinuousClock.Instant, _ before: ProcessMeter.Reading, _ count: Int
    ) throws -> Outcome {
        let after = try course.meter.read()
        var outcome = Outcome(system: course.system, scenario: what, detail: "\(size.grouped) \(axis)")
        outcome.connections = 1
        outcome.seconds = (ContinuousClock.now - began) / .seconds(1)
        outcome.count = count
        outcome.unit = "requests"
        outcome.cpuSeconds = after.cpuSeconds - before.cpuSeconds
        outcome.residentBytes = after.residentBytes
        outcome.descriptors = after.descriptors
        outcome.latencies = [("answer", times.summary)]
        outcome.growth = times.summary.microseconds(at: 50).map {
            .init(axis: axis, size: Double(size), cost: Double($0) / 1000, unit: "ms, half of them at most")
        }
        return outcome
    }

    /// Writes messages to the chat, over several sessions of the sender.
    private func fill(_ course: Course, from stored: Int, to length: Int, _ recipient: UserID) throws {
        guard length > stored else { return }
        let board = ScoreBoard()
        let target = course.target { _ in "stored-a" }
        let devices = min(Self.devices, length - stored)
        let crew = try Crew.start(1, connections: devices, board: board) { loop, _ in
            let group = SocketGroup(on: loop, target, as: .subscriber, indices: Array(0..<devices), board: board)
            return FillMember(group, board: board, numbers: stored..<length, recipient: recipient)
        }
        defer { crew.stop() }
        crew.begin()
        var progress = ProgressLine()
        try board.wait(seconds: 600, "the chat was not filled") {
            let count = board.count.load(ordering: .relaxed)
            progress.show("filling a chat: \(count.grouped) of \((length - stored).grouped)")
            return count >= length - stored
        }
    }

    /// Comes back to what was missed, again and again.
    private func resume(
        _ course: Course, _ user: UserID, since: Command.ResumePoint?, events: Int
    ) throws -> Outcome {
        var times = Latencies()
        var broken: [String] = []
        let (began, before) = (ContinuousClock.now, try course.meter.read())
        for _ in 0..<Self.returns {
            let visit = try Returning.visit(course, user, since: since)
            times.record(visit.time)
            if visit.events < events { broken.append("\(visit.events) of at least \(events) missed events came") }
        }
        var outcome = try outcome(course, "coming back", "events missed", events, times, began, before, Self.returns)
        outcome.broken = broken
        return outcome
    }
}

extension AdminCalls {
    /// One command of this user, without a session.
    func command(_ command: JSONValue) throws(LoadFailure) -> JSONValue {
        let reply = try perform("POST", "/v1/commands", command)
        if let error = reply["error"] { throw LoadFailure("a command was answered with \(error.text)") }
        return reply["ok"] ?? reply
    }
}

/// - Confinement: loop
private final class FillMember: CrewMember {
    private static let window = 32

    private let group: SocketGroup
    private let board: ScoreBoard
    private let recipient: UserID
    private var numbers: Range<Int>

    init(_ group: SocketGroup, board: ScoreBoard, numbers: Range<Int>, recipient: UserID) {
        self.group = group
        self.board = board
        self.numbers = numbers
        self.recipient = recipient
        group.onReady = { board.readyLoops.add(1, ordering: .relaxed) }
        group.onHeard = { [unowned self] heard, socket in
            if heard == .refused { board.fail("a message was refused") }
            guard heard == .ok else { return }
            board.count.add(1, ordering: .relaxed)
            send(socket)
        }
    }

    func connect() { group.connect() }

    func begin() {
        for socket in group.sockets {
            for _ in 0..<Self.window { send(socket) }
        }
    }

    func measure() {}
    func finish() {}
    func close() {}

    private func send(_ socket: LeanSocket) {
        guard let number = numbers.popFirst(), let key = WriteKey("fill-\(number)") else { return }
        socket.send(ClientCommand.send("message \(number)", to: recipient, key: key).encoded(id: 1))
    }
}

@available(*, unavailable)
extension FillMember: Sendable {}
