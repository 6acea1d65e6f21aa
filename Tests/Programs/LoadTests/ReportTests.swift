import Foundation
import JSON
import TestSupport
import Testing

@testable import watchwise_load

/// Runs are written, read again, compared and drawn.
@Suite struct ReportTests {
    private func outcome(_ system: String, perCPU: Int = 1_000, lost: Int = 0) -> Outcome {
        var outcome = Outcome(system: system, scenario: "fanout", detail: "1 → 20 <b>")
        outcome.connections = 20
        outcome.seconds = 2
        outcome.count = perCPU
        outcome.unit = "deliveries"
        outcome.cpuSeconds = 1
        outcome.residentBytes = 40 << 20
        var times = Latencies()
        for number in 1...1_000 { times.record(.microseconds(number * (perCPU / 500))) }
        outcome.latencies = [("publish → all", times.summary)]
        for second in 0...4 {
            outcome.timeline.add(
                seconds: Double(second), count: second * perCPU,
                reading: .init(
                    cpuSeconds: Double(second), residentBytes: 40 << 20, proportionalBytes: nil, descriptors: 9))
        }
        outcome.faults = [("lost", lost), ("doubled", 0)]
        outcome.generator = Generator(share: 0.99)
        outcome.growth = [.init(axis: "receivers", size: Double(perCPU), cost: 2, unit: "µs", series: system)]
        outcome.facts = [("writes per commit", 12.5)]
        return outcome
    }

    private func run(_ outcomes: [Outcome]) -> LoadReport {
        var run = LoadReport()
        run.outcomes = outcomes
        return run
    }

    @Test func `a report that is written as JSON is read again`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/run.json"
        var skipped = Outcome(system: "nats", scenario: "echo", detail: "")
        skipped.skipped = "it is not installed"
        let written = run([outcome("watchwise", lost: 3), skipped])
        try Terminal.save(written.json.text + "\n", to: path)
        let read = try LoadReport(path: path)
        #expect(read.json == written.json)
        #expect(!read.isGood)
        #expect(!written.json.text.contains("\n"))
        #expect(throws: LoadFailure.self) { try LoadReport(path: folder.path + "/none.json") }
    }

    @Test func `two runs are compared by ratio, and figures of only one run are named`() throws {
        let comparison = Comparison(
            run([outcome("watchwise", perCPU: 1_000), outcome("nats")]),
            run([outcome("watchwise", perCPU: 1_500), outcome("floor")]))
        let row = try #require(comparison.rows.first { $0.figure == "deliveries per CPU s" })
        #expect(row.ratio == 1.5)
        #expect(comparison.missing.count == 2)
        #expect(comparison.rows.contains { $0.figure == "publish → all p99 ms" })
        #expect(comparison.table.contains("1.50"))
    }

    @Test func `a report has the figures, the faults and the figures that fall short`() {
        let text = HTMLReport(
            run([
                outcome("watchwise", perCPU: 900, lost: 2), outcome("floor", perCPU: 1_000),
                outcome("nats", perCPU: 800),
            ])
        ).text
        #expect(text.contains("2 lost"))
        #expect(text.contains("falls short"))
        #expect(text.contains("reached"))
        #expect(text.contains("<svg"))
        #expect(!text.contains("<b>\""))
        #expect(text.contains("1 → 20 &lt;b&gt;"))
        for outside in ["http://", "https://", "<script", "src="] { #expect(!text.contains(outside)) }
        #expect(text.components(separatedBy: "<svg").count == text.components(separatedBy: "</svg>").count)
    }

    @Test func `goals are ratios within one run`() throws {
        let beside = [outcome("floor", perCPU: 1_000), outcome("nats", perCPU: 990)]
        let goals = Goal.judge([outcome("watchwise", perCPU: 960)] + beside)
        #expect(goals.map(\.isReached) == [false, true])
        #expect(goals.map(\.seen) == ["0.97", "0.96"])
        #expect(Goal.judge([outcome("watchwise")]).isEmpty)
    }

    @Test func `an echo is held against the peers, not against a loop that is not a server`() {
        let all = [("watchwise", 900), ("floor", 1_000), ("nats", 800)].map { system, perCPU in
            var outcome = Outcome(system: system, scenario: "echo", detail: "")
            (outcome.count, outcome.cpuSeconds) = (perCPU, 1)
            return outcome
        }
        #expect(Goal.judge(all).map(\.wanted) == ["at least 1.00 of nats"])
    }

    @Test(arguments: [(39_000, false), (41_000, true)])
    func `chats at the limit are held against centrifuge`(perCPU: Int, isReached: Bool) {
        var own = Outcome(system: "watchwise", scenario: "pairs", detail: PairsScenario.detail(nil))
        (own.count, own.cpuSeconds) = (perCPU, 1)
        let goals = Goal.judge([own])
        #expect(goals.map(\.isReached) == [isReached])
        #expect(goals.first?.wanted.contains("40,000") == true)
    }

    @Test func `a scenario that did not come to its end is a broken promise, and no figure`() {
        let ended = Outcome(ended: "watchwise", "pairs", "at the limit", by: "connection 3: the connection ended")
        #expect(!ended.isGood)
        #expect(ended.skipped == nil)
        #expect(Goal.judge([ended]).isEmpty)
        let text = HTMLReport(run([ended])).text
        #expect(text.contains("connection 3: the connection ended"))
        #expect(run([ended]).table.contains("did not come to its end"))
    }

    @Test func `a plot draws nothing that is not there`() {
        let empty = Plot(title: "t", xLabel: "x", yLabel: "y", series: [.init(name: "a", points: [])])
        #expect(empty.html.isEmpty)
        let odd = Plot(
            title: "t", xLabel: "x", yLabel: "y",
            series: [.init(name: "a", points: [(x: 0, y: .nan), (x: 1, y: 0), (x: 2, y: 3)])], isYLogarithmic: true)
        #expect(!odd.html.lowercased().contains("nan"))
        #expect(odd.html.contains("<circle"))
    }

    @Test(arguments: [[0.0, 7], [3, 3], [1_000, 1_000_000], [0, 0]])
    func `an axis has a few round marks, within it`(values: [Double]) {
        for isLogarithmic in [false, true] where !isLogarithmic || (values.min() ?? 0) > 0 {
            let axis = Axis(values, isLogarithmic: isLogarithmic)
            #expect((2...9).contains(axis.ticks.count))
            #expect(axis.ticks.allSatisfy { (-0.001...1.001).contains($0.share) })
            #expect(values.allSatisfy { (-0.001...1.001).contains(axis.share(of: $0)) })
        }
    }
}
