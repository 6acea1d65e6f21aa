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
        /// Of the value.
        let scale: MetricScale

        package init(
            suffix: String = "", _ labels: [(name: String, value: String)], _ value: Int, _ scale: MetricScale = .whole
        ) {
            self.scale = scale
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }

        var text: String { scale.text(of: value) }
    }

    package let name: String
    package let kind: Kind
    package let help: String
    package let samples: [Sample]
    /// Whether it is one of the server's own. The numbers that the kernel has of a process have the names of everybody's.
    private let isOwn: Bool

    package init(_ kind: Kind, _ name: String, _ help: String, _ samples: [Sample], isOwn: Bool = true) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples
        self.isOwn = isOwn
    }

    /// A number without labels, in its base unit.
    package init(_ row: Metric.Row) {
        let (name, scale) = MetricScale.inBaseUnits(row.name)
        self.init(row.isCounter ? .counter : .gauge, name, row.help, [Sample([], row.value, scale)])
    }

    /// The lines.
    package var text: String {
        let name = isOwn ? "watchwise_" + self.name : self.name
        let head = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        return samples.reduce(into: head) { text, sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.text)\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
