import JSON

/// The results of a storm.
struct StormReport: TrialReport {
    let plan: StormPlan
    /// From the storm's beginning until the last client was back, as measured on the main thread.
    var storm = Duration.zero
    /// The server's processor time during the storm; after a restart, including its start.
    var serverCPU = 0.0
    /// This program's processor time, to be compared with the duration of the storm.
    var ownCPU = 0.0
    /// The server's resources when all clients were back.
    var reading = ProcessMeter.Reading(cpuSeconds: 0, residentBytes: 0, proportionalBytes: nil, descriptors: 0)
    /// How connections ended during the storm and, where the server was stopped, while it stopped.
    var ends: [String: Int] = [:]
    var drainEnds: [String: Int] = [:]
    var drain: Duration?
    var exits: [Int32] = []
    var written: Int64 = 0
    var notices: Int64 = 0
    var books = StormBooks()
    var latencies: [(name: String, Latencies)] = []

    private var broken: Int { books.faults.values.reduce(books.missing, +) }

    /// Whether nothing was lost, and the server ended as it should.
    var isGood: Bool {
        let exitsWanted: [Int32] =
            switch plan.mode {
            case .kill: [-9, 0]
            case .drain: [0, 0]
            case .reconnect: [0]
            }
        return broken == 0 && exits == exitsWanted && (drain ?? .zero) < .seconds(5)
    }

    private var generator: Generator {
        Generator(share: ownCPU / Double(plan.loops) / max(storm / .seconds(1), 0.001))
    }

    /// The result in the form of other scenarios; figures that only a storm has are in its details.
    var outcome: Outcome {
        var outcome = Outcome(system: "watchwise", scenario: "storm", detail: plan.mode.rawValue)
        outcome.detail += ", \(plan.clients.grouped) clients"
        outcome.connections = plan.clients
        outcome.seconds = storm / .seconds(1)
        outcome.count = books.times.count
        outcome.unit = "clients back"
        outcome.cpuSeconds = serverCPU
        outcome.residentBytes = reading.residentBytes
        outcome.proportionalBytes = reading.proportionalBytes
        outcome.descriptors = reading.descriptors
        outcome.latencies = [("live", books.times.summary)] + latencies.map { ($0.name, $0.1.summary) }
        outcome.faults = [("not back", books.missing)]
        outcome.faults += StormLedger.Fault.allCases.map { ("\($0)", books.faults[$0] ?? 0) }
        outcome.generator = generator
        outcome.facts = [("events resumed", Double(books.resumed))]
        outcome.details = json
        if broken == 0, !isGood { outcome.broken = ["the server did not end as it was told to"] }
        return outcome
    }

    var table: String {
        var timed = TextTable()
        timed.add("milliseconds", "p50", "p99", "p99.9", "max")
        for (name, measured) in latencies where measured.count > 0 { timed.add([name] + measured.cells) }
        var text = rowsText + "\n\n" + timed.text
        if let problem = generator.problem { text += "\n\n" + problem }
        return text + "\n\nA benchmark on \(Machine.description), client and server sharing it."
    }

    /// The counts and times, one a line.
    var rowsText: String {
        var table = TextTable()
        table.add("storm \(plan.mode.rawValue)", plan.clients.grouped + " clients")
        table.add("back (clients)", books.times.count.grouped)
        table.add("not back", books.missing.grouped)
        table.add("first live", Self.milliseconds(books.first))
        for (name, value) in zip(["p50", "p99", "p99.9", "last"], books.times.cells) {
            table.add("\(name) live", value + " ms")
        }
        table.add("events resumed before live", books.resumed.grouped)
        table.add("messages written, notices", "\(written.grouped), \(notices.grouped)")
        for fault in StormLedger.Fault.allCases { table.add("\(fault)", (books.faults[fault] ?? 0).grouped) }
        if let drain { table.add("drain took", Self.milliseconds(drain)) }
        if !drainEnds.isEmpty { table.add("ends in the drain", Self.text(drainEnds)) }
        table.add("ends during the storm", ends.isEmpty ? "none" : Self.text(ends))
        table.add("server CPU s", "\((serverCPU * 100).rounded() / 100)")
        table.add("server resident MiB", (reading.residentBytes / 1_048_576).grouped)
        table.add("this program's CPU s", "\((ownCPU * 100).rounded() / 100)")
        return table.text
    }

    private var json: JSONValue {
        var object: JSONValue = [
            "mode": .string(plan.mode.rawValue), "clients": .integer(Int64(plan.clients)),
            "back": .integer(Int64(books.times.count)), "missing": .integer(Int64(books.missing)),
            "live": books.times.summary.json, "resumed": .integer(Int64(books.resumed)), "written": .integer(written),
            "notices": .integer(notices), "serverCPUSeconds": .number(serverCPU),
            "generatorCPUSeconds": .number(ownCPU), "isGood": .bool(isGood),
            "ends": Self.json(ends), "drainEnds": Self.json(drainEnds),
        ]
        if let first = books.first { object["firstUs"] = .integer(Int64(first / .microseconds(1))) }
        if let drain { object["drainMs"] = .integer(Int64(drain / .milliseconds(1))) }
        for fault in StormLedger.Fault.allCases { object["\(fault)"] = .integer(Int64(books.faults[fault] ?? 0)) }
        return object
    }

    private static func milliseconds(_ duration: Duration?) -> String {
        duration.map { "\(Int($0 / .milliseconds(1)).grouped) ms" } ?? "–"
    }

    private static func text(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.grouped)" }.joined(separator: ", ")
    }

    private static func json(_ counts: [String: Int]) -> JSONValue {
        var object: JSONValue = [:]
        for (name, count) in counts { object[name] = .integer(Int64(count)) }
        return object
    }
}
