import Client
import Foundation

/// Measures a cluster: in turns a bare journal, sessions of the leading node, sessions of another one, chats at the limit
/// and a single node, and then kills.
///
/// - Confinement: one thread at a time
final class ClusterRun {
    /// How much to measure.
    struct Plan {
        var seconds: Double
        var warmup: Double
        var loops: Int
        var rate: Double
        var pairs: Int
        var kills: Int
        var storm: Int
        var floor: String
    }

    /// Messages to each client while half of them are away.
    private static let stormRounds = 4
    private static let stormPatience = Duration.seconds(120)

    private let house: ClusterHouse
    private let plan: Plan
    private let mint: TokenMint
    private var report: ClusterReport

    init(_ house: ClusterHouse, _ plan: Plan) throws {
        self.house = house
        self.plan = plan
        mint = try house.mint()
        report = ClusterReport(rate: plan.rate)
    }

    /// - Parameter single: A node of its own without a journal, to compare with.
    /// - Throws: `LoadFailure` when a part could not run to its end.
    func play(beside single: ServedProcess, _ singleCourse: Course) throws -> ClusterReport {
        try yardsticks()
        let leader = try house.awaitLeader()
        let others = house.nodes.filter { $0.name != leader.name }
        report.onLeader = try cross(from: leader, to: others.first ?? leader, "sessions of the leading node")
        try yardsticks()
        report.onOther = try cross(from: others.first ?? leader, to: leader, "sessions of another node")
        try yardsticks()
        report.limit = try PairsScenario.run(course(leader), connections: 4 * plan.pairs, rate: nil)
        report.single = try PairsScenario.run(singleCourse, connections: 4 * plan.pairs, rate: nil)
        if plan.kills > 0, !others.isEmpty {
            report.kills = try LeaderKills(house: house, mint: mint, rounds: plan.kills).run()
        }
        if plan.storm > 0, !others.isEmpty {
            report.stormAlone = try stormAlone(single, singleCourse)
            report.storm = try stormOverNodes()
        }
        return report
    }

    /// The storm after the leading node was killed: its clients come to another node, where the writers are.
    private func stormOverNodes() throws -> StormReport {
        let leader = try house.awaitLeader()
        guard let other = house.nodes.first(where: { $0.name != leader.name }) else {
            throw LoadFailure("there is no other node")
        }
        let storm = StormPlan(
            mode: .kill, clients: plan.storm, loops: plan.loops, rounds: Self.stormRounds, server: other.address,
            before: leader.address, mint: mint)
        return try StormRun(storm, server: other.process, victim: leader.process, patience: Self.stormPatience).play()
    }

    /// The same on the single node, which is killed and started again. The time begins when it listens.
    private func stormAlone(_ single: ServedProcess, _ course: Course) throws -> StormReport {
        guard let mint = course.mint else { throw LoadFailure("no tokens for the single node") }
        let storm = StormPlan(
            mode: .kill, clients: plan.storm, loops: plan.loops, rounds: Self.stormRounds, server: course.server,
            mint: mint)
        return try StormRun(storm, server: single, patience: Self.stormPatience).play()
    }

    private func yardsticks() throws {
        report.commitsAlone += [try commitAlone()].compactMap(\.self)
        report.bare.append(try bare())
    }

    private func course(_ node: ClusterHouse.Node) -> Course {
        Course(
            server: node.address, mint: mint, meter: ProcessMeter(pid: node.process.pid),
            partners: house.processes.filter { $0.pid != node.process.pid }, seconds: plan.seconds,
            warmup: plan.warmup, loopCount: plan.loops)
    }

    /// Chats at the rate, and the processor time that each node has used meanwhile.
    private func cross(
        from sender: ClusterHouse.Node, to receiver: ClusterHouse.Node, _ detail: String
    ) throws -> Outcome {
        let course = course(sender)
        let crew = try CrossPairs.crew(course, to: receiver.address, pairs: plan.pairs, perSecond: plan.rate)
        let leader = try house.leader()?.name
        let before = try house.nodes.map { try ProcessMeter(pid: $0.process.pid).read().cpuSeconds }
        var outcome = try course.measure(
            "cluster", detail, connections: 2 * plan.pairs, crew: crew, times: CrossPairs.times, isPaced: true)
        for (node, before) in zip(house.nodes, before) {
            let used = try ProcessMeter(pid: node.process.pid).read().cpuSeconds - before
            let role = node.name == leader ? "the leading node" : "node \(node.name)"
            outcome.facts.append(("CPU seconds of \(role)", used))
        }
        return outcome
    }

    private func bare() throws -> Outcome {
        let crew = try BareJournal.crew(house.journal, application: "bare", perSecond: plan.rate)
        var course = Course(
            system: "journal", server: house.nodes[0].address, meter: .own, partners: house.processes,
            seconds: max(1, plan.seconds / 2),
            warmup: plan.warmup, loopCount: 1)
        course.run = "bare"
        return try course.measure(
            "cluster", "a bare client of the journal", connections: 1, crew: crew, times: [BareJournal.time],
            isPaced: true)
    }

    /// The milliseconds of one commit of SQLite alone on this disk; nil without the program for it.
    private func commitAlone() throws -> Double? {
        guard FileManager.default.isExecutableFile(atPath: plan.floor) else { return nil }
        let room = FileManager.default.temporaryDirectory.appending(path: "watchwise-fsync-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: room, withIntermediateDirectories: true)
        let inserts = RawInserts(program: plan.floor, room: room, before: 0)
        defer { inserts.end() }
        let outcome = try inserts.run(batch: 1, seconds: 1)
        return outcome.perSecond.map { 1000 / max($0, 0.001) }
    }
}
