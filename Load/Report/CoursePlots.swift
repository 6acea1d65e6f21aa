import Foundation

/// The plots of one run: throughput and memory over time, and the distribution of its durations.
struct CoursePlots {
    private let outcome: Outcome

    init(_ outcome: Outcome) { self.outcome = outcome }

    var html: String { [throughput, distribution, memory].map(\.html).joined() }

    private var throughput: Plot {
        let points = outcome.count == nil ? [] : outcome.timeline.points
        return Plot(
            title: "Throughput", xLabel: "seconds", yLabel: "\(outcome.unit) per second",
            series: [.init(name: outcome.unit, points: points.map { ($0.seconds, $0.perSecond) })])
    }

    private var memory: Plot {
        Plot(
            title: "Memory of the server", xLabel: "seconds", yLabel: "MiB resident",
            series: [
                .init(
                    name: "resident",
                    points: outcome.timeline.points.map { ($0.seconds, Double($0.residentBytes) / 1_048_576) })
            ])
    }

    /// The distribution by rarity: each mark is ten times as rare as the last.
    private var distribution: Plot {
        let marks: [(place: Double, text: String)] = [
            (0, "0"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"),
        ]
        return Plot(
            title: "Distribution of times", xLabel: "share that took at most so long", yLabel: "milliseconds",
            series: outcome.latencies.filter { $0.summary.count > 0 }.map { name, summary in
                .init(
                    name: name,
                    points: summary.curve.filter { $0.percentile <= 99.99 }.map {
                        (Self.rarity($0.percentile), max(0.001, Double($0.microseconds) / 1000))
                    })
            },
            isYLogarithmic: true, xTicks: marks)
    }

    /// 0 for all, 1 for the slowest tenth, 2 for the slowest hundredth.
    private static func rarity(_ percentile: Double) -> Double { -log10(1 - percentile / 100) }
}
