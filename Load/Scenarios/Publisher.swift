import Client
import EventLoop
import Foundation
import JSON
import Model
import Synchronization
import Wire

/// The publisher of a fan-out: over the HTTP API with one connection for each publication at the same time, or to a
/// peer over one WebSocket.
///
/// - Confinement: loop
final class Publisher: LeanSocketOwner {
    static let payloadBytes = 32

    private let scenario: FanoutScenario
    private let loop: Loop
    private let board: ScoreBoard
    private let office: PublishingOffice
    private let headers: HTTPHeaders
    /// The audiences, which take turns.
    private let audiences: [String]
    private let target: LoadTarget
    private var connections: [HTTPConnection] = []
    private var socket: LeanSocket?
    private var isSocketReady = false
    /// The number of publications of each lane so far.
    private var sent: [Int]
    private var freeLanes: [Int]
    /// When each publication began, in the order of the starts.
    private var begun: [ContinuousClock.Instant] = []
    private var completed = 0
    private var arrivals: Arrivals?
    private var wasBlocked = false
    private var timer: LoopTimer?
    /// The timer for the next publication at a fixed rate.
    private var pace: PreciseTimer?
    private var isPublishing = false
    /// The times for each audience.
    private var times: [Latencies]
    private var lateness = Latencies()

    init(
        _ scenario: FanoutScenario, _ course: Course, topics: [Topic], on loop: Loop, _ board: ScoreBoard,
        _ office: PublishingOffice
    ) {
        self.scenario = scenario
        self.loop = loop
        self.board = board
        self.office = office
        let token = course.mint.flatMap { mint in course.user("admin").map { mint.token(for: $0, isAdmin: true) } }
        headers = ["Authorization": "Bearer \(token ?? "")", "Content-Type": "application/json"]
        audiences = topics.isEmpty ? ["everyone"] : topics.map(\.text)
        times = audiences.map { _ in Latencies() }
        target = LoadTarget(server: course.server, dialect: course.dialect)
        let lanes = course.dialect == .watchwise ? scenario.window : 1
        sent = Array(repeating: 0, count: lanes)
        freeLanes = Array((0..<lanes).reversed())
    }

    /// Connects to the server.
    func connect() {
        guard target.dialect != .watchwise else {
            connections = sent.map { _ in HTTPConnection(on: loop, to: target.server) }
            return
        }
        let socket = LeanSocket(0, as: .publisher, to: target, owner: self)
        self.socket = socket
        do { try socket.connect(on: loop, from: nil) } catch { board.fail("the publisher: \(error)") }
    }

    func begin() {
        isPublishing = true
        // With several loops, another loop may count the last delivery: so this timer checks repeatedly.
        let timer = LoopTimer(on: loop) { [unowned self] in
            noteCompleted()
            pump()
        }
        timer.start(afterMilliseconds: 1, repeatingMilliseconds: 1)
        self.timer = timer
        guard scenario.rate != nil else { return }
        do {
            pace = try PreciseTimer(on: loop) { [unowned self] in pump() }
        } catch {
            board.fail("the timer of the publications: \(error)")
        }
    }

    func measure() {
        for place in times.indices { times[place].forget() }
        lateness.forget()
    }

    func finish() {
        isPublishing = false
        office.sentByLane = sent
    }

    func close() {
        noteCompleted()
        timer?.close()
        timer = nil
        pace?.close()
        pace = nil
        for connection in connections { connection.close() }
        socket?.close()
        for (times, name) in zip(times, [FanoutScenario.times[1], FanoutScenario.secondTime]) {
            board.add(times, as: name)
        }
        if scenario.rate != nil { board.add(lateness, as: ScoreBoard.lateness) }
    }

    /// Called after deliveries: the last one of a publication may be among them.
    func delivered() {
        guard board.count.load(ordering: .relaxed) >= (completed + 1) * scenario.connections else { return }
        noteCompleted()
        pump()
    }

    private func noteCompleted() {
        let count = board.count.load(ordering: .relaxed)
        while completed < begun.count, count >= (completed + 1) * scenario.connections {
            times[completed % times.count].record(.now - begun[completed])
            completed += 1
        }
    }

    private func pump() {
        guard isPublishing, socket == nil || isSocketReady else { return }
        let now = ContinuousClock.now
        while begun.count - completed < scenario.window || scenario.rate != nil {
            guard let lane = freeLanes.last else {
                wasBlocked = true
                return
            }
            var start = now
            if let rate = scenario.rate {
                if arrivals == nil { arrivals = Arrivals(perSecond: rate, begin: now) }
                guard let intended = arrivals?.next(at: now) else {
                    if let due = arrivals?.due { pace?.start(after: due - .now) }
                    return wasBlocked = false
                }
                start = intended
                // While the server makes it wait, lateness is not this program's fault.
                if !wasBlocked { lateness.record(.now - intended) }
            }
            publish(on: lane, start)
        }
    }

    private func publish(on lane: Int, _ start: ContinuousClock.Instant) {
        let number = lane * PublishingOffice.perLane + sent[lane]
        let audience = audiences[begun.count % audiences.count]
        sent[lane] += 1
        begun.append(start)
        office.note(number, at: start)
        board.owed.add(scenario.connections, ordering: .relaxed)
        if let socket {
            let marker = Marker.bytes(number)
            socket.publish(marker + [UInt8](repeating: 0x2E, count: Self.payloadBytes - marker.count))
            return
        }
        freeLanes.removeLast()
        let body: JSONValue = [
            "audience": .string(audience), "title": "load", "body": .string(Marker.text(number) + "...."),
        ]
        let request = HTTPRequest(method: "POST", target: "/v1/broadcasts", headers: headers, body: body.bytes)
        connections[lane].perform(request, timeoutMilliseconds: 60_000) { [unowned self] result in
            answered(result, lane)
        }
    }

    private func answered(_ result: Result<HTTPResponse, HTTPFailure>, _ lane: Int) {
        switch result {
        case .success(let response) where response.status == 202:
            freeLanes.append(lane)
            pump()
        case .success(let response):
            let text = String(decoding: response.body.prefix(300), as: UTF8.self)
            board.fail("a broadcast was answered with \(response.status) \(text)")
        case .failure(let failure): board.fail("a broadcast: \(failure.description)")
        }
    }

    func ready(_ socket: LeanSocket) { isSocketReady = true }
    func heard(_ heard: Heard, on socket: LeanSocket) {}
    func ended(_ socket: LeanSocket, because reason: String) { board.fail("the publisher: \(reason)") }
}

@available(*, unavailable)
extension Publisher: Sendable {}
