import Foundation
import JSON

/// SQLite alone on one file, which is kept between the runs.
struct RawInserts {
    let program: String
    let room: String
    /// Documents in the file before the measurement.
    let before: Int

    /// - Parameter batch: Documents in each commit.
    /// - Throws: when the program cannot run.
    func run(batch: Int, seconds: Double) throws -> Outcome {
        let raw = Process()
        raw.executableURL = URL(filePath: program)
        raw.arguments = [
            "inserts", "--folder", room, "--batch", "\(batch)", "--seconds", "\(seconds)", "--before", "\(before)",
        ]
        let output = Pipe()
        raw.standardOutput = output
        try Remains.own.start(raw)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        raw.waitUntilExit()
        Remains.own.ended(raw)
        guard let row = try? JSONValue(parsing: Array(data)), let count = row["count"]?.integerValue else {
            throw LoadFailure("\(program) inserts said '\(String(decoding: data, as: UTF8.self))'")
        }
        var outcome = Outcome(system: Goal.floor, scenario: "writes", detail: WritesScenario(batch: batch).detail)
        outcome.unit = "documents"
        outcome.count = Int(count)
        outcome.seconds = row["seconds"]?.numberValue ?? 0
        outcome.cpuSeconds = row["cpuSeconds"]?.numberValue ?? 0
        return outcome
    }

    func end() { try? FileManager.default.removeItem(atPath: room) }
}
