import Foundation
import JSON

/// Readings of a run at regular times, for the plots over time.
struct Timeline: Sendable {
    /// One reading. Rates are over the time since the last reading.
    struct Point: Sendable, Equatable {
        var seconds: Double
        var perSecond: Double
        /// Processor seconds of the server in each second: 1 is one core.
        var serverCores: Double
        var residentBytes: Int64
        var descriptors: Int
    }

    private(set) var points: [Point] = []
    private var before: (seconds: Double, count: Int, cpuSeconds: Double)?

    init() {}

    /// Adds a reading.
    mutating func add(seconds: Double, count: Int, reading: ProcessMeter.Reading) {
        defer { before = (seconds, count, reading.cpuSeconds) }
        guard let before, seconds > before.seconds else { return }
        let span = seconds - before.seconds
        points.append(
            Point(
                seconds: seconds, perSecond: Double(count - before.count) / span,
                serverCores: (reading.cpuSeconds - before.cpuSeconds) / span,
                residentBytes: reading.residentBytes, descriptors: reading.descriptors))
    }

    init(_ json: JSONValue) {
        points = (json.arrayValue ?? []).compactMap { row in
            guard let row = row.arrayValue, row.count == 5 else { return nil }
            return Point(
                seconds: row[0].numberValue ?? 0, perSecond: row[1].numberValue ?? 0,
                serverCores: row[2].numberValue ?? 0, residentBytes: row[3].integerValue ?? 0,
                descriptors: Int(row[4].integerValue ?? 0))
        }
    }

    var json: JSONValue {
        .array(
            points.map { point in
                [
                    .number(point.seconds), .number(point.perSecond), .number(point.serverCores),
                    .integer(point.residentBytes), .integer(Int64(point.descriptors)),
                ]
            })
    }
}
