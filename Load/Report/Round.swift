import JSON

/// What one of several rounds has shown: the rest of a result is that of the round in the middle.
struct Round: Sendable, Equatable {
    var perSecond: Double?
    var perCPUSecond: Double?
    /// Half of the first named times were at most so long.
    var medianMicroseconds: UInt64?
    /// Whether the generator, and not the server, was the limit.
    var isGeneratorLimited = false

    /// The least and the most of a figure; nil when there are not two.
    static func spread(_ values: [Double]) -> (least: Double, most: Double)? {
        guard values.count > 1, let least = values.min(), let most = values.max() else { return nil }
        return (least, most)
    }

    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let upper = sorted.dropFirst(sorted.count / 2).first else { return nil }
        return sorted.count % 2 == 1 ? upper : (sorted[sorted.count / 2 - 1] + upper) / 2
    }

    var json: JSONValue {
        var object: JSONValue = ["generatorLimited": .bool(isGeneratorLimited)]
        if let perSecond { object["perSecond"] = .number(perSecond) }
        if let perCPUSecond { object["perServerCPUSecond"] = .number(perCPUSecond) }
        if let medianMicroseconds { object["p50Us"] = .integer(Int64(clamping: medianMicroseconds)) }
        return object
    }

    init(_ outcome: Outcome) {
        perSecond = outcome.perSecond
        perCPUSecond = outcome.perCPUSecond
        medianMicroseconds = outcome.latencies.last { !$0.name.hasPrefix("chat") }?.summary.microseconds(at: 50)
        isGeneratorLimited = outcome.generator?.isLimit == true
    }

    init(_ json: JSONValue) {
        perSecond = json["perSecond"]?.numberValue
        perCPUSecond = json["perServerCPUSecond"]?.numberValue
        medianMicroseconds = json["p50Us"]?.integerValue.map { UInt64(clamping: $0) }
        isGeneratorLimited = json["generatorLimited"]?.boolValue == true
    }
}

extension Outcome {
    /// Several rounds of the same as one: the figures of the round in the middle, the faults of all.
    ///
    /// Rounds at a rate are in the order of their times, for what they count is the same; the others in that of their
    /// figure for each second of server CPU.
    static func middle(of rounds: [Outcome]) -> Outcome? {
        guard let first = rounds.first else { return nil }
        let isPaced = first.generator?.isPaced == true && first.latencies.contains { $0.summary.count > 0 }
        let key: (Outcome) -> Double = { one in
            if isPaced, let time = Round(one).medianMicroseconds { return Double(time) }
            return one.perCPUSecond ?? one.perSecond ?? 0
        }
        var outcome = rounds.sorted { key($0) < key($1) }[rounds.count / 2]
        outcome.rounds = rounds.map { Round($0) }
        for place in outcome.faults.indices {
            let name = outcome.faults[place].name
            outcome.faults[place].count = rounds.reduce(0) { sum, one in
                sum + (one.faults.first { $0.name == name }?.count ?? 0)
            }
        }
        outcome.broken = rounds.flatMap(\.broken)
        return outcome
    }
}
