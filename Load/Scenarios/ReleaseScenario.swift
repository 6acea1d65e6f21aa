import Client
import EventLoop
import Foundation
import JSON
import Model

/// A release: one publication to a topic with very many followers, of whom some are online, while others chat.
///
/// Beside it, in the same run, the same publication to a topic that only those online follow: the two should take the
/// same time, since nothing is written for a follower who is away.
struct ReleaseScenario: Sendable {
    static let followersDefault = 100_000
    /// Publications in a run, but one a second at most often: each is to find the server at rest.
    private static let publications = 5.0
    private static let chatConnections = 32
    private static let chatPerSecond = 200.0

    var followers: Int
    var online: Int

    func run(_ course: Course) throws -> [Outcome] {
        guard let topic = Topic(kind: "station", id: "release-\(course.run)") else {
            throw LoadFailure("the run's name \(course.run) makes no topic")
        }
        let crowd = Crowd(course: course, topic: topic)
        let making = try crowd.make(max(0, followers - online))
        let plain = try measure(course.again(), "1 → \(online.grouped) of \(online.grouped)", .topic)
        var release = try measure(course, "1 → \(online.grouped) of \(followers.grouped)", .named(topic))
        release.facts.append(("followers made per second", making))
        let name = FanoutScenario.times[1]
        if let few = plain.latency(name)?.microseconds(at: 50), few > 0,
            let many = release.latency(name)?.microseconds(at: 50)
        {
            release.facts.append(("last device, over plain", Double(many) / Double(few)))
        }
        release.growth = release.latency(name)?.microseconds(at: 50).map {
            Outcome.Growth(
                axis: "followers", size: Double(followers), cost: Double($0) / 1000, unit: "ms to the last device")
        }
        return [plain, release]
    }

    private func measure(_ course: Course, _ detail: String, _ audience: FanoutScenario.Audience) throws -> Outcome {
        let fanout = FanoutScenario(
            scenario: "release", connections: online, rate: max(1, Self.publications / course.seconds),
            audience: audience)
        let chat = try PairsScenario.crew(course, connections: Self.chatConnections, rate: Self.chatPerSecond)
        var outcome: Outcome
        do {
            let crew = try fanout.crew(course)
            chat.begin()
            outcome = try course.measure(
                fanout.scenario, detail, connections: online, crew: crew, times: FanoutScenario.times,
                isPaced: true)
            try chat.settle(seconds: 20)
        } catch {
            chat.stop()
            throw error
        }
        chat.stop()
        outcome.unit = "deliveries"
        outcome.add(chat.board, times: PairsScenario.times, as: "chat ")
        return outcome
    }
}

extension Outcome {
    /// Adds what came of a crew that ran beside the one measured.
    mutating func add(_ board: ScoreBoard, times: [String], as prefix: String) {
        latencies += times.map { (prefix + $0, board.latencies($0).summary) }
        faults = zip(faults, board.faults).map { ($0.name, $0.count + $1.count) }
    }
}

/// Followers who are never online, made through the HTTP API: a follow is a document, and a batch of them one commit.
struct Crowd {
    static let batch = 500
    private static let atOnce = 2

    let course: Course
    let topic: Topic

    /// - Returns: how many a second.
    func make(_ count: Int) throws -> Double {
        guard count > 0 else { return 0 }
        let began = ContinuousClock.now
        let run = course.run
        let batches = DocumentBatches(course: course, batch: Self.batch, atOnce: Self.atOnce) { [topic] number in
            guard number < count else { return nil }
            let path = "\(topic.kind)s/\(topic.id)/followers/crowd-\(run)-\(number)"
            return ["op": "put", "path": .string(path), "data": [:]]
        }
        var progress = ProgressLine()
        try batches.run { progress.show("making followers: \($0.grouped) of \(count.grouped)") }
        return Double(count) / ((ContinuousClock.now - began) / .seconds(1))
    }
}
