import JSON

/// One result: a scenario, at one size, against one server.
struct Outcome: Sendable {
    /// The measured system: `watchwise`, `floor`, or a peer.
    var system: String
    var scenario: String
    var detail: String
    var connections = 0
    var seconds = 0.0
    /// The counted number, for example deliveries; nil when memory was measured.
    var count: Int?
    var unit = "messages"
    /// The server's processor time during the measurement.
    var cpuSeconds = 0.0
    var residentBytes: Int64 = 0
    var proportionalBytes: Int64?
    var descriptors = 0
    var bytesPerSession: Int64?
    var latencies: [(name: String, summary: LatencySummary)] = []
    var timeline = Timeline()
    var faults: [(name: String, count: Int)] = []
    var generator: Generator?
    /// The points for plots of cost against size.
    var growth: [Growth] = []
    /// Each round in its turn, when there were several; the other figures are those of the middle round.
    var rounds: [Round] = []
    /// Additional figures, by name.
    var facts: [(name: String, value: Double)] = []
    /// Additional details in the scenario's own form.
    var details: JSONValue?
    /// Why it was not measured; then the figures mean nothing.
    var skipped: String?
    /// Sentences about promises that were broken.
    var broken: [String] = []

    /// A point of a plot: one size is varied, the others stay the same.
    struct Growth: Sendable, Equatable {
        var axis: String
        var size: Double
        /// The cost at this size, in `unit`.
        var cost: Double
        var unit: String
        /// The line of the plot that it belongs to.
        var series = "watchwise"

        /// The name of the plot that it belongs to.
        var name: String { "\(axis) \(unit)" }
    }

    /// The name of the result: results of two runs with the same name can be compared.
    var name: String { "\(system) · \(scenario)" + (detail.isEmpty ? "" : " \(detail)") }

    var perSecond: Double? { count.flatMap { seconds > 0 ? Double($0) / seconds : nil } }

    /// The figure that is reliable on a shared machine: per second of the server's own processor time.
    var perCPUSecond: Double? { count.flatMap { cpuSeconds > 0 ? Double($0) / cpuSeconds : nil } }

    var isGood: Bool { broken.isEmpty && faults.allSatisfy { $0.count == 0 } }

    func latency(_ name: String) -> LatencySummary? { latencies.first { $0.name == name }?.summary }

    func fact(_ name: String) -> Double? { facts.first { $0.name == name }?.value }
}

extension Outcome {
    var json: JSONValue {
        var object: JSONValue = [
            "system": .string(system), "scenario": .string(scenario), "detail": .string(detail),
            "connections": .integer(Int64(connections)), "seconds": .number(seconds), "unit": .string(unit),
            "serverCPUSeconds": .number(cpuSeconds), "residentBytes": .integer(residentBytes),
            "descriptors": .integer(Int64(descriptors)), "isGood": .bool(isGood),
        ]
        if let count { object["count"] = .integer(Int64(count)) }
        if let perSecond { object["perSecond"] = .number(perSecond) }
        if let perCPUSecond { object["perServerCPUSecond"] = .number(perCPUSecond) }
        if let proportionalBytes { object["proportionalBytes"] = .integer(proportionalBytes) }
        if let bytesPerSession { object["bytesPerSession"] = .integer(bytesPerSession) }
        if let skipped { object["skipped"] = .string(skipped) }
        object["latencies"] = .object(JSONObject(latencies.map { ($0.name, $0.summary.json) }))
        object["faults"] = .object(JSONObject(faults.map { ($0.name, .integer(Int64($0.count))) }))
        object["facts"] = .object(JSONObject(facts.map { ($0.name, .number($0.value)) }))
        object["broken"] = .array(broken.map { .string($0) })
        object["timeline"] = timeline.json
        if let generator { object["generator"] = generator.json }
        if !growth.isEmpty { object["growth"] = .array(growth.map(\.json)) }
        if !rounds.isEmpty { object["rounds"] = .array(rounds.map(\.json)) }
        if let details { object["details"] = details }
        return object
    }

    /// Reads the form that `json` writes; nil for anything else.
    init?(_ json: JSONValue) {
        guard let system = json["system"]?.stringValue, let scenario = json["scenario"]?.stringValue,
            let detail = json["detail"]?.stringValue
        else { return nil }
        self.system = system
        self.scenario = scenario
        self.detail = detail
        connections = Int(json["connections"]?.integerValue ?? 0)
        seconds = json["seconds"]?.numberValue ?? 0
        count = json["count"]?.integerValue.map { Int($0) }
        unit = json["unit"]?.stringValue ?? ""
        cpuSeconds = json["serverCPUSeconds"]?.numberValue ?? 0
        residentBytes = json["residentBytes"]?.integerValue ?? 0
        proportionalBytes = json["proportionalBytes"]?.integerValue
        descriptors = Int(json["descriptors"]?.integerValue ?? 0)
        bytesPerSession = json["bytesPerSession"]?.integerValue
        skipped = json["skipped"]?.stringValue
        latencies = (json["latencies"]?.objectValue?.members ?? []).map { ($0.name, LatencySummary($0.value)) }
        faults = (json["faults"]?.objectValue?.members ?? []).map { ($0.name, Int($0.value.integerValue ?? 0)) }
        facts = (json["facts"]?.objectValue?.members ?? []).map { ($0.name, $0.value.numberValue ?? 0) }
        broken = (json["broken"]?.arrayValue ?? []).compactMap(\.stringValue)
        timeline = Timeline(json["timeline"] ?? [])
        generator = json["generator"].map { Generator($0) }
        details = json["details"]
        growth = (json["growth"]?.arrayValue ?? []).map { Growth($0) }
        rounds = (json["rounds"]?.arrayValue ?? []).map { Round($0) }
    }
}

extension Outcome.Growth {
    var json: JSONValue {
        [
            "axis": .string(axis), "size": .number(size), "cost": .number(cost), "unit": .string(unit),
            "series": .string(series),
        ]
    }

    init(_ json: JSONValue) {
        axis = json["axis"]?.stringValue ?? ""
        size = json["size"]?.numberValue ?? 0
        cost = json["cost"]?.numberValue ?? 0
        unit = json["unit"]?.stringValue ?? ""
        series = json["series"]?.stringValue ?? ""
    }
}

extension Generator {
    var json: JSONValue {
        var object: JSONValue = ["cpuShare": .number(share), "isPaced": .bool(isPaced)]
        if let lateMicroseconds { object["lateP99Us"] = .integer(Int64(clamping: lateMicroseconds)) }
        if let othersShare { object["othersShare"] = .number(othersShare) }
        if let problem { object["problem"] = .string(problem) }
        return object
    }

    init(_ json: JSONValue) {
        share = json["cpuShare"]?.numberValue ?? 0
        isPaced = json["isPaced"]?.boolValue ?? false
        othersShare = json["othersShare"]?.numberValue
        lateMicroseconds = json["lateP99Us"]?.integerValue.map { UInt64(clamping: $0) }
    }
}
