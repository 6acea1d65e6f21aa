import Foundation
import JSON

/// The time from the start of the process to the first acknowledged write, on a folder with much data: after an orderly
/// end, and after a kill, when SQLite must first recover its log.
struct StartScenario {
    static let axis = "process to first acknowledged write"
    private static let restSeconds = 0.1

    let messages: Int
    let starts: Int

    func run(_ server: StandingServer) throws -> [Outcome] {
        try [("SIGTERM", SIGTERM), ("kill -9", SIGKILL)].map { name, signal in
            var times = Latencies()
            let began = ContinuousClock.now
            var outcome = Outcome(
                system: "watchwise", scenario: "start", detail: "\(messages.grouped) messages stored, after \(name)")
            for number in 0..<starts {
                // A write that is still in SQLite's log when the server ends.
                try write(server, "\(name.prefix(4))-before-\(number)")
                server.stop(signal)
                Thread.sleep(forTimeInterval: Self.restSeconds)
                let start = ContinuousClock.now
                try server.start()
                try write(server, "\(name.prefix(4))-after-\(number)")
                times.record(.now - start)
                let reading = try server.course.meter.read()
                outcome.cpuSeconds += reading.cpuSeconds
                outcome.residentBytes = reading.residentBytes
                outcome.descriptors = reading.descriptors
            }
            outcome.connections = 1
            outcome.count = starts
            outcome.unit = "starts"
            outcome.seconds = (.now - began) / .seconds(1)
            outcome.latencies = [(Self.axis, times.summary)]
            return outcome
        }
    }

    private func write(_ server: StandingServer, _ key: String) throws {
        guard let chat = StoredChat(server.course) else { throw LoadFailure("no users to write") }
        _ = try chat.asSender.command(chat.message("first", key: key.replacing(" ", with: "-")))
    }
}
