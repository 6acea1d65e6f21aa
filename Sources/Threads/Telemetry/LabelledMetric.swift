import Synchronization

/// A number of the server for each combination of the values of its labels.
///
/// There is a bound on combinations, so that a peer that chooses a value fills no memory: beyond it every value is `other`.
/// - Confinement: any
package final class LabelledMetric: Sendable {
    /// More than the server itself has reasons, statuses and platforms.
    static let combinationsMax = 200

    private let kind: MetricFamily.Kind
    private let name: String
    private let help: String
    private let labels: [String]
    private let scale: MetricScale
    /// Protected by its lock, which is taken once for each change.
    private let numbers: Mutex<[[String]: Int]>

    /// - Parameter known: combinations that are shown from the beginning, as 0.
    init(_ kind: MetricFamily.Kind, _ name: String, labels: [String], known: [[String]] = [], _ help: String) {
        self.kind = kind
        (self.name, scale) = MetricScale.inBaseUnits(name)
        self.labels = labels
        self.help = help
        numbers = Mutex(Dictionary(known.map { ($0, 0) }, uniquingKeysWith: max))
    }

    /// Adds to the number of these values, one for each label.
    package func add(_ count: Int, _ values: String...) {
        numbers.withLock { $0[combination(values, among: $0), default: 0] += count }
    }

    /// Sets the number of these values.
    package func set(_ count: Int, _ values: String...) {
        numbers.withLock { $0[combination(values, among: $0)] = count }
    }

    /// The number of these values.
    package func count(_ values: String...) -> Int { numbers.withLock { $0[values] ?? 0 } }

    /// The sum of all.
    package var total: Int { numbers.withLock { $0.values.reduce(0, +) } }

    /// All numbers, in the order of their values.
    package var family: MetricFamily {
        let all = numbers.withLock { $0.sorted { $0.key.lexicographicallyPrecedes($1.key) } }
        return MetricFamily(
            kind, name, help, all.map { MetricFamily.Sample(Array(zip(labels, $0.key)), $0.value, scale) })
    }

    private func combination(_ values: [String], among numbers: [[String]: Int]) -> [String] {
        precondition(values.count == labels.count, "a number has one value for each of its labels")
        let isKnown = numbers[values] != nil || numbers.count < Self.combinationsMax
        return isKnown ? values : labels.map { _ in "other" }
    }
}
