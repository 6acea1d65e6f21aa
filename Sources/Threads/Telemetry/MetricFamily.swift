/// Numbers of one name, as `/metrics` shows them (Prometheus' text format, version 0.0.4).
///
/// - Confinement: any
package struct MetricFamily: Sendable {
    /// How the numbers change.
    ///
    /// - Confinement: any
    package enum Kind: String, Sendable {
        /// They only grow.
        case counter
        case gauge
        case histogram
    }

    /// One number.
    ///
    /// - Confinement: any
    package struct Sample: Sendable {
        /// At the end of the family's name; empty outside of histograms.
        package let suffix: String
        /// Names and values.
        package let labels: [(name: String, value: String)]
        package let value: Int
        /// The value is counted in millionths of its unit.
        let isOfMillionths: Bool

        package init(
            suffix: String = "", _ labels: [(name: String, value: String)], _ value: Int, isOfMillionths: Bool = false
        ) {
            self.isOfMillionths = isOfMillionths
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }

        var text: String { isOfMillionths ? Self.unit(ofMillionths: Int64(value)) : String(value) }

        static func unit(ofMillionths value: Int64) -> String { "\(Double(value) / 1_000_000)" }
    }

    package let name: String
    package let kind: Kind
    package let help: String
    package let samples: [Sample]

    package init(_ kind: Kind, _ name: String, _ help: String, _ samples: [Sample]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples
    }

    /// A number without labels.
    package init(_ row: Metric.Row) {
        self.init(row.isCounter ? .counter : .gauge, row.name, row.help, [Sample([], row.value)])
    }

    /// The lines.
    package var text: String {
        let head = "# HELP watchwise_\(name) \(help)\n# TYPE watchwise_\(name) \(kind.rawValue)\n"
        return samples.reduce(into: head) { text, sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "watchwise_\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.text)\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
