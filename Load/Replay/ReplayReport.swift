import JSON

/// The results of a replay, as a table and as JSON.
struct ReplayReport {
    let conversations: Int
    let messages: Int
    let recommendations: Int
    let deliveries: Int
    /// Delivered notifications, counted on every device.
    let notifications: Int
    let users: Int
    let rooms: Int
    let devices: Int
    let reconnects: Int
    let duration: Duration
    let findings: Findings
    let acknowledgements: Latencies
    let arrivals: Latencies

    private var seconds: Double { duration / .seconds(1) }
    private var messagesPerSecond: Int {
        seconds > 0 ? Int(Double(messages + recommendations) / seconds) : 0
    }

    /// The table for people.
    var table: String {
        var table = TextTable()
        table.add("conversations", conversations.grouped)
        table.add("users × devices", "\(users.grouped) × \(devices)")
        table.add("rooms", rooms.grouped)
        table.add("messages", messages.grouped)
        table.add("recommendations", recommendations.grouped)
        table.add("deliveries", deliveries.grouped)
        table.add("notifications", notifications.grouped)
        for kind in Findings.Kind.allCases { table.add(kind.rawValue, findings[kind].grouped) }
        table.add("reconnects", reconnects.grouped)
        table.add("duration", "\((seconds * 10).rounded() / 10) s")
        table.add("messages per second", messagesPerSecond.grouped)
        var latencies = TextTable()
        latencies.add("milliseconds", "p50", "p99", "p99.9", "max")
        latencies.add(["send → ok"] + acknowledgements.cells)
        latencies.add(["send → other's device"] + arrivals.cells)
        let verdict = findings.total == 0 ? "every promise kept" : "\(findings.total.grouped) promises broken"
        return table.text + "\n\n" + latencies.text + "\n\n" + verdict
    }

    /// The result in the form of other scenarios.
    var outcome: Outcome {
        var outcome = Outcome(system: "watchwise", scenario: "replay", detail: "\(conversations.grouped) conversations")
        outcome.connections = users * devices
        outcome.seconds = seconds
        outcome.count = messages + recommendations
        outcome.latencies = [
            ("send → ok", acknowledgements.summary), ("send → other's device", arrivals.summary),
        ]
        outcome.faults = Findings.Kind.allCases.map { ($0.rawValue, findings[$0]) }
        outcome.details = json
        return outcome
    }

    private var json: JSONValue {
        var broken: JSONValue = [:]
        for kind in Findings.Kind.allCases { broken["\(kind)"] = .integer(Int64(findings[kind])) }
        return [
            "conversations": .integer(Int64(conversations)),
            "users": .integer(Int64(users)),
            "rooms": .integer(Int64(rooms)),
            "devices": .integer(Int64(devices)),
            "messages": .integer(Int64(messages)),
            "recommendations": .integer(Int64(recommendations)),
            "deliveries": .integer(Int64(deliveries)),
            "notifications": .integer(Int64(notifications)),
            "broken": broken,
            "notes": .array(findings.notes.map { .string($0) }),
            "reconnects": .integer(Int64(reconnects)),
            "seconds": .number(seconds),
            "messagesPerSecond": .integer(Int64(messagesPerSecond)),
        ]
    }
}
