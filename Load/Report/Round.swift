import JSON

/// The figures of one round out of several; the other figures of a result are those of the middle round.
struct Round: Sendable, Equatable {
    var perSecond: Double?
    var perCPUSecond: Double?
    /// The median of the first named times.
    var medianMicroseconds: UInt64?
    /// Whether the generator was the limit, and not the server.
    var isGeneratorLimited = false

    /// The minimum and the maximum of a figure; nil for fewer than two values.
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
    /// Combines several rounds of the same scenario: the figures of the middle round, the faults of all.
    ///
    /// Rounds with a fixed rate are sorted by their times, since their counts are the same; other rounds are sorted by
    /// their figure per second of server CPU.
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
