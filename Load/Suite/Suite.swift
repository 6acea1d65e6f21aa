import Client
import Foundation

/// Runs all measurements against servers that this program starts and ends. The programme has the sizes, and `parts`
/// has the order.
///
/// - Confinement: one thread at a time
final class Suite {
    let programs: Programs
    let programme: Programme
    /// The most files and sockets that a process may have open, here and in the servers.
    let descriptors: Int
    let dialogues: String?
    let record: RunRecord
    let loopCount: Int
    private let folder: URL
    private var rooms = 0

    /// - Parameters:
    ///   - dialogues: A file of conversations; nil leaves them out.
    ///   - last: Writes the results so far, when a signal ends the run.
    init(
        _ programs: Programs, _ programme: Programme, loopCount: Int, descriptors: Int, dialogues: String?,
        last: @escaping @Sendable (LoadReport) -> Void
    ) throws {
        self.dialogues = dialogues
        self.programs = programs
        self.descriptors = descriptors
        self.programme = programme
        self.loopCount = loopCount
        let record = RunRecord()
        record.note(unfinished: "not measured: all of it")
        self.record = record
        folder = FileManager.default.temporaryDirectory.appending(path: "watchwise-suite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Remains.own.removeAtSignals(folder: folder) { reason in
            record.note(unfinished: [reason, record.run.unfinished].compactMap(\.self).joined(separator: "; "))
            last(record.run)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the parts in order. A failed part is named in the report and does not end the others.
    func play(only names: Set<String>?) {
        let (systems, missing) = programs.systems()
        for (name, reason) in missing { skip(name, "all", "", reason) }
        let parts = parts(beside: systems).filter { names?.contains($0.name) ?? true }
        let total = parts.reduce(0) { $0 + $1.seconds }
        Terminal.note("\(parts.count) parts, \(SuitePart.duration(total)) on a quiet machine of two processors:")
        for part in parts { Terminal.note("  \(part.title): \(SuitePart.duration(part.seconds))") }
        let began = ContinuousClock.now
        var planned = 0.0
        for (number, part) in parts.enumerated() {
            let left = (total - planned) * pace(planned, began)
            Terminal.note("[\(number + 1) of \(parts.count)] \(part.title) · \(SuitePart.duration(left)) left")
            record.note(unfinished: "not measured: \(parts[number...].map(\.title).joined(separator: ", "))")
            do { try part.play() } catch { failed("watchwise", part.name, "", error) }
            planned += part.seconds
        }
        record.note(unfinished: nil)
        Terminal.note("all in \(Int((ContinuousClock.now - began) / .seconds(1))) s, reckoned were \(Int(total))")
    }

    /// The ratio of the time that parts took so far to the estimate.
    private func pace(_ planned: Double, _ began: ContinuousClock.Instant) -> Double {
        guard planned > 20 else { return 1 }
        return min(4, max(0.3, (ContinuousClock.now - began) / .seconds(1) / planned))
    }

    // MARK: Servers

    /// Starts a server in a folder of its own.
    func stand(_ system: MeasuredSystem) throws -> StandingServer {
        let like = Course(
            server: try .init("http://127.0.0.1:1"), meter: .own, seconds: programme.seconds,
            warmup: programme.warmup, loopCount: loopCount)
        return try StandingServer(system, in: newRoom(), like: like)
    }

    func newRoom() -> String {
        rooms += 1
        let room = folder.appending(path: "\(rooms)")
        try? FileManager.default.createDirectory(at: room, withIntermediateDirectories: true)
        return room.path
    }

    /// Runs one scenario on a server of its own.
    func alone(_ scenario: String, on system: MeasuredSystem? = nil, _ body: (StandingServer) throws -> [Outcome]) {
        let system = system ?? programs.own
        do {
            let server = try stand(system)
            defer { server.end() }
            let outcomes = try body(server)
            try server.check()
            record.add(outcomes)
        } catch {
            failed(system.name, scenario, "", error)
        }
    }

    /// Lets the systems take turns, so that other load on the machine affects all alike; each round begins with another
    /// system.
    func inTurns(_ scenario: String, _ contestants: [Contestant]) {
        var standing: [(contestant: Contestant, turn: () throws -> Outcome, end: () -> Void)] = []
        defer { for one in standing { one.end() } }
        for contestant in contestants {
            do {
                let (turn, end) = try contestant.begin()
                standing.append((contestant, turn, end))
            } catch {
                failed(contestant.system, scenario, contestant.detail, error)
            }
        }
        var results: [[Outcome]] = standing.map { _ in [] }
        var isOut = standing.map { _ in false }
        for round in 0..<programme.rounds {
            for turn in standing.indices {
                let place = (turn + round) % standing.count
                guard !isOut[place] else { continue }
                do {
                    results[place].append(try standing[place].turn())
                } catch {
                    isOut[place] = true
                    let contestant = standing[place].contestant
                    failed(contestant.system, scenario, contestant.detail, error)
                }
            }
        }
        record.add(zip(results, isOut).compactMap { $1 ? nil : Outcome.middle(of: $0) })
    }

    // MARK: Scenarios that were not measured

    /// Whether there are enough file descriptors for this many connections; if not, the report says so.
    func fits(_ connections: Int, _ scenario: String) -> Bool {
        if connections <= connectionsMax { return true }
        skip(
            "watchwise", scenario, "\(connections.grouped) connections",
            "it needs 'ulimit -n \(connections + Self.descriptorsBeside)'; the most that fits was taken instead")
        return false
    }

    /// The file descriptors that a process needs besides connections.
    private static let descriptorsBeside = 1_000

    var connectionsMax: Int { descriptors - Self.descriptorsBeside }

    func failed(_ system: String, _ scenario: String, _ detail: String, _ error: any Error) {
        guard system == programs.own.name else { return skip(system, scenario, detail, "\(error)") }
        let outcome = Outcome(ended: system, scenario, detail, by: "\(error)")
        record.add([outcome])
        Terminal.note("\(outcome.name): broken, \(outcome.broken.joined())")
    }

    func skip(_ system: String, _ scenario: String, _ detail: String, _ reason: String) {
        var outcome = Outcome(system: system, scenario: scenario, detail: detail)
        outcome.skipped = reason
        record.add([outcome])
        Terminal.note("\(outcome.name): skipped, \(reason)")
    }
}

extension Outcome {
    /// A scenario that did not end normally: if the server still runs, a promise was broken.
    init(ended system: String, _ scenario: String, _ detail: String, by reason: String) {
        self.init(system: system, scenario: scenario, detail: detail)
        broken = ["it did not come to its end: \(reason)"]
    }

    /// The server's processor time for each counted thing, as a point of growth.
    func cost(_ axis: String, _ size: Int, _ unit: String, series: String = "watchwise") -> [Growth] {
        perCPUSecond.map {
            [Growth(axis: axis, size: Double(size), cost: 1_000_000 / $0, unit: unit, series: series)]
        } ?? []
    }
}
