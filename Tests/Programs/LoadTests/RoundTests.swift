import JSON
import Testing

@testable import watchwise_load

/// Rounds in turns: the middle one counts, a ratio compares rounds of the same turn, and growth is judged.
@Suite struct RoundTests {
    private func outcome(_ system: String, _ perCPU: Int, lost: Int = 0) -> Outcome {
        var outcome = Outcome(system: system, scenario: "echo", detail: "")
        (outcome.count, outcome.cpuSeconds, outcome.seconds) = (perCPU, 1, 1)
        outcome.faults = [("lost", lost)]
        return outcome
    }

    @Test func `the middle round gives the figures, and the faults of all rounds count`() throws {
        let rounds = [outcome("watchwise", 900), outcome("watchwise", 300, lost: 2), outcome("watchwise", 800)]
        let middle = try #require(Outcome.middle(of: rounds))
        #expect(middle.count == 800)
        #expect(middle.rounds.compactMap(\.perCPUSecond) == [900, 300, 800])
        #expect(middle.faults.first?.count == 2)
        #expect(!middle.isGood)
        #expect(Outcome.middle(of: []) == nil)
    }

    @Test func `rounds at a rate are in the order of their times`() throws {
        let rounds = [9, 1, 5].map { milliseconds in
            var one = outcome("watchwise", 1_000)
            var times = Latencies()
            times.record(.milliseconds(milliseconds))
            one.latencies = [("send → other", times.summary)]
            one.generator = Generator(share: 0, isPaced: true)
            return one
        }
        let middle = try #require(Outcome.middle(of: rounds))
        let time = try #require(middle.latencies.first?.summary.microseconds(at: 50))
        #expect((4_990...5_010).contains(time))
    }

    @Test func `a ratio is that of rounds beside each other, with its spread`() throws {
        let own = try #require(Outcome.middle(of: [100, 200, 300].map { outcome("watchwise", $0) }))
        let peer = try #require(Outcome.middle(of: [100, 100, 600].map { outcome("nats", $0) }))
        let goal = try #require(Goal.judge([own, peer]).first)
        #expect(goal.seen == "1.00 (0.50 to 2.00)")
        #expect(goal.isReached)
    }

    @Test func `a second run differs if all its rounds are above, and not if it may be luck`() {
        func run(_ figures: [Int]) -> LoadReport {
            var run = LoadReport()
            run.outcomes = [Outcome.middle(of: figures.map { outcome("watchwise", $0) })].compactMap(\.self)
            return run
        }
        #expect(Comparison(run([1, 2, 3]), run([4, 5, 6])).rows.first?.isApart == true)
        #expect(Comparison(run([1, 2, 5]), run([4, 5, 6])).rows.first?.isApart == false)
    }

    @Test(arguments: [
        ([1.0, 1.1, 0.9, 1.05], GrowthVerdict.Shape.flat), ([5, 1, 1, 1], .falling), ([1, 10, 100, 1_000], .linear),
        ([1, 1.2, 3, 21], .linear), ([1, 1, 1, 1.9], .rising), ([1, 100, 10_000, 1_000_000], .worse),
        ([1, 1, 1, 90], .worse),
    ])
    func `growth is judged over all and by the last two`(costs: [Double], shape: GrowthVerdict.Shape) throws {
        let sizes = [1.0, 10, 100, 1_000]
        let verdict = try #require(GrowthVerdict(Array(zip(sizes, costs))))
        #expect(verdict.shape == shape)
        #expect(verdict.sentence.hasPrefix(shape.rawValue))
    }

    @Test func `the fit finds what was put in`() throws {
        let verdict = try #require(GrowthVerdict([0, 10, 100, 1_000].map { (Double($0), 2 + 0.5 * Double($0)) }))
        #expect(abs(verdict.base - 2) < 1e-6)
        #expect(abs(verdict.slope - 0.5) < 1e-9)
        #expect(GrowthVerdict([(1, 1)]) == nil)
    }

    @Test func `memory is judged at the greatest size, plain and over TLS each by its own goal`() {
        let goals = Goal.memory(
            [
                ("1,000 sessions", 1_000, 900), ("1,000 → 5,000 sessions", 5_000, 2_000),
                ("9 → 1,000 sessions, TLS", 1_000, 9_000),
            ]
            .map { detail, count, bytes in
                var outcome = Outcome(system: "watchwise", scenario: "idle", detail: detail)
                (outcome.connections, outcome.bytesPerSession) = (count, Int64(bytes))
                return outcome
            })
        #expect(goals.map(\.key) == ["idle", "idle-tls"])
        #expect(goals.map(\.isReached) == [false, true])
    }

    @Test func `a reason is filed under the key of its goal, and shown`() throws {
        var run = LoadReport()
        run.outcomes = [outcome("watchwise", 1), outcome("nats", 9)]
        let key = try #require(Goal.judge(run.outcomes).first?.key)
        #expect(HTMLReport(run).text.contains("(\(key))"))
        run.reasons = [key: "because of <that>"]
        run.unfinished = "ended by signal 2"
        let text = HTMLReport(run).text
        #expect(text.contains("because of &lt;that&gt;"))
        #expect(text.contains("ended by signal 2"))
    }

    @Test func `the figures of other servers are scaled by the bare loop alone`() {
        var own = outcome("watchwise", 89_000)
        own.detail = "32 B, 64 connections"
        #expect(Anchors.text(own, bare: 89_000).hasSuffix("would do 91,500 here, of which this is 0.97"))
        #expect(Anchors.text(outcome("watchwise", 1), bare: 1).isEmpty)
    }

    @Test func `keys are words without spaces`() {
        var fan = outcome("watchwise", 1)
        (fan.scenario, fan.detail) = ("fanout", "1 → 10,000, 64 under way")
        #expect(Goal.key(fan) == "fanout-1-10000-64")
    }
}
