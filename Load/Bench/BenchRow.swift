import JSON

/// One result of a benchmark.
struct BenchRow {
    let scenario: String
    let detail: String
    let connections: Int
    let seconds: Double
    /// What was counted: messages, deliveries; nil when only memory was measured.
    let operations: Int?
    let cpuSeconds: Double
    let residentBytes: Int64
    var bytesPerSession: Int64?
    var failures = 0
    var latencies: [(name: String, Latencies)] = []

    private var perSecond: Double? { operations.map { seconds > 0 ? Double($0) / seconds : 0 } }
    private var perCPUSecond: Double? { operations.map { cpuSeconds > 0 ? Double($0) / cpuSeconds : 0 } }

    static let heading = [
        "scenario", "connections", "count", "per second", "server CPU s", "per CPU s", "resident MiB", "per session",
        "failed",
    ]

    var cells: [String] {
        [
            "\(scenario) \(detail)", connections.grouped, operations?.grouped ?? "–", Self.whole(perSecond),
            "\((cpuSeconds * 100).rounded() / 100)", Self.whole(perCPUSecond), (residentBytes / 1_048_576).grouped,
            bytesPerSession.map { "\($0.grouped) B" } ?? "–", failures.grouped,
        ]
    }

    var json: JSONValue {
        var object: JSONValue = [
            "scenario": .string(scenario), "detail": .string(detail), "connections": .integer(Int64(connections)),
            "seconds": .number(seconds), "serverCPUSeconds": .number(cpuSeconds),
            "residentBytes": .integer(residentBytes), "failures": .integer(Int64(failures)),
        ]
        if let operations { object["count"] = .integer(Int64(operations)) }
        if let perSecond { object["perSecond"] = .number(perSecond) }
        if let perCPUSecond { object["perServerCPUSecond"] = .number(perCPUSecond) }
        if let bytesPerSession { object["bytesPerSession"] = .integer(bytesPerSession) }
        for (name, latencies) in latencies { object[name] = latencies.json }
        return object
    }

    private static func whole(_ value: Double?) -> String {
        value.map { Int($0.rounded()).grouped } ?? "–"
    }
}
