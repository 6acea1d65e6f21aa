import JSON

/// A small action repeated many times in a row: the duration of each, and its cost for the server.
struct Repeated {
    static let times = 60

    let course: Course
    /// The size that grows, and the unit of the costs.
    let axis: String
    static let unit = "ms, half of them at most"

    /// - Parameter size: The amount of stored data.
    func time(_ what: String, _ size: Int, times count: Int = times, _ body: () throws -> Void) throws -> Outcome {
        try measure(what, size, times: count) {
            let start = ContinuousClock.now
            try body()
            return .now - start
        }
    }

    /// The same for an action that measures its own duration.
    func measure(
        _ what: String, _ size: Int, times count: Int = times, _ body: () throws -> Duration
    ) throws -> Outcome {
        var times = Latencies()
        let (began, before) = (ContinuousClock.now, try course.meter.read())
        for _ in 0..<count { times.record(try body()) }
        var outcome = Outcome(system: course.system, scenario: what, detail: "\(size.grouped) \(axis)")
        outcome.note(try course.meter.read(), since: before)
        outcome.connections = 1
        outcome.seconds = (ContinuousClock.now - began) / .seconds(1)
        outcome.count = count
        outcome.unit = "requests"
        outcome.latencies = [("answer", times.summary)]
        outcome.growth =
            times.summary.microseconds(at: 50).map {
                [.init(axis: axis, size: Double(size), cost: Double($0) / 1000, unit: Self.unit, series: what)]
            } ?? []
        return outcome
    }
}

extension AdminCalls {
    /// Runs one command of this user, without a session.
    func command(_ command: JSONValue) throws(LoadFailure) -> JSONValue {
        let reply = try perform("POST", "/v1/commands", command)
        if let error = reply["error"] { throw LoadFailure("a command was answered with \(error.text)") }
        return reply["ok"] ?? reply
    }
}
