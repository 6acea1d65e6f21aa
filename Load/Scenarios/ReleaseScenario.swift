import Client
import EventLoop
import Foundation
import JSON
import Model

/// A release: one publication to a topic with very many followers, some of them online, while other users chat.
///
/// In turns with it, over the same connections, the same publication goes to a topic that only the online users follow.
/// Both should take the same time, since nothing is written for an absent follower.
struct ReleaseScenario: Sendable {
    static let followersDefault = 100_000
    /// Long enough for several publications, each of which must find the server idle.
    static let secondsMin = 5.0
    /// For both topics together.
    private static let publicationsPerSecond = 4.0
    /// The names of the times for the topic that only online users follow, and for the one with many followers.
    static let (plainTime, releaseTime) = (FanoutScenario.times[1], FanoutScenario.secondTime)
    private static let chatConnections = 32
    private static let chatPerSecond = 200.0
    static let axis = "followers of the topic"
    static let overPlain = "last device, over plain"
    static let written = "KiB written for a publication nobody is online for"

    /// The numbers of followers; the later sizes include the earlier followers.
    var followers: [Int]
    var online: Int

    func run(_ given: Course) throws -> [Outcome] {
        var course = given
        course.seconds = max(course.seconds, course.seconds < 1 ? 1 : Self.secondsMin)
        guard let topic = Topic(kind: "station", id: "release-\(course.run)") else {
            throw LoadFailure("the run's name \(course.run) makes no topic")
        }
        let crowd = Crowd(course: course, topic: topic)
        var made = 0
        return try followers.sorted().map { size in
            let making = try crowd.make(made..<max(made, size - online))
            made = max(made, size - online)
            let written = try writtenFor(topic, course)
            var release = try measure(course, size, topic)
            if let making {
                release.facts.append(("followers made per second", making.perSecond))
                release.facts.append(("server CPU µs for each follower made", making.microseconds))
            }
            if let written { release.facts.append((Self.written, written)) }
            if let few = release.latency(Self.plainTime)?.microseconds(at: 50), few > 0,
                let many = release.latency(Self.releaseTime)?.microseconds(at: 50)
            {
                let over = Double(many) / Double(few)
                release.facts.append((Self.overPlain, over))
                release.growth = [
                    .init(
                        axis: Self.axis, size: Double(size), cost: over,
                        unit: "time to the last device, over a plain one by turns with it")
                ]
            }
            return release
        }
    }

    /// The bytes that the server hands to the kernel for one publication while nobody is online: one row per follower
    /// would show.
    private func writtenFor(_ topic: Topic, _ course: Course) throws -> Double? {
        guard let before = course.meter.writtenBytes else { return nil }
        let body: JSONValue = ["audience": .string(topic.text), "title": "load", "body": "nobody is here"]
        _ = try course.admin().perform("POST", "/v1/broadcasts", body)
        return course.meter.writtenBytes.map { Double($0 - before) / 1024 }
    }

    private func measure(_ course: Course, _ size: Int, _ topic: Topic) throws -> Outcome {
        guard let plain = Topic(kind: "station", id: "plain-\(course.run)-\(size)") else {
            throw LoadFailure("the run's name \(course.run) makes no topic")
        }
        let fanout = FanoutScenario(
            scenario: "release", connections: online, rate: Self.publicationsPerSecond,
            audience: .byTurns(plain, topic))
        // With users of its own, since a key of an earlier crew would be known.
        let chat = try PairsScenario.crew(course.again(), connections: Self.chatConnections, rate: Self.chatPerSecond)
        var outcome: Outcome
        do {
            let crew = try fanout.crew(course)
            chat.begin()
            outcome = try course.measure(
                fanout.scenario, "1 → \(online.grouped) of \(size.grouped)", connections: online, crew: crew,
                times: FanoutScenario.times + [FanoutScenario.secondTime],
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
    /// Adds the results of a crew that ran beside the measured one.
    mutating func add(_ board: ScoreBoard, times: [String], as prefix: String) {
        latencies += times.map { (prefix + $0, board.latencies($0).summary) }
        faults = zip(faults, board.faults).map { ($0.name, $0.count + $1.count) }
    }
}

/// Followers who are never online, made through the HTTP API: a follow is a document, and a batch of them is one
/// commit.
struct Crowd {
    static let batch = 500
    private static let atOnce = 2

    let course: Course
    let topic: Topic

    /// - Parameter numbers: The numbers of the followers to make.
    /// - Returns: How many were made per second, and the server's processor time for each; nil when there are none to
    ///   make.
    func make(_ numbers: Range<Int>) throws -> (perSecond: Double, microseconds: Double)? {
        guard !numbers.isEmpty else { return nil }
        let before = try course.meter.read()
        let began = ContinuousClock.now
        let run = course.run
        let batches = DocumentBatches(course: course, batch: Self.batch, atOnce: Self.atOnce) { [topic] done in
            let number = numbers.lowerBound + done
            guard number < numbers.upperBound else { return nil }
            let path = "\(topic.kind)s/\(topic.id)/followers/crowd-\(run)-\(number)"
            return ["op": "put", "path": .string(path), "data": [:]]
        }
        var progress = ProgressLine()
        try batches.run {
            progress.show("making followers: \((numbers.lowerBound + $0).grouped) of \(numbers.upperBound.grouped)")
        }
        progress.clear()
        let used = try course.meter.read().cpuSeconds - before.cpuSeconds
        let count = Double(numbers.count)
        return (count / ((ContinuousClock.now - began) / .seconds(1)), used * 1e6 / count)
    }
}
