import Authentication
import Client
import EventLoop
import Foundation
import JSON

/// Every scenario at several sizes, against a server of its own each time, and the peers where they can do the same.
final class Suite {
    private let programs: Programs
    private let programme: Programme
    private let loopCount: Int
    /// Files and sockets a process may have open, here and at the servers.
    private let descriptors: Int
    private let dialogues: String?
    private let folder: URL
    private(set) var run = LoadReport()
    private var rooms = 0

    /// - Parameter dialogues: a file of real conversations; nil leaves them out.
    init(
        _ programs: Programs, _ programme: Programme, loopCount: Int, descriptors: Int, dialogues: String?
    ) throws {
        self.dialogues = dialogues
        self.programs = programs
        self.descriptors = descriptors
        self.programme = programme
        self.loopCount = loopCount
        folder = FileManager.default.temporaryDirectory.appending(path: "watchwise-suite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Remains.own.removeAtSignals(folder: folder)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Plays it all. What fails is said in the report and does not end the rest.
    func play() {
        let (systems, missing) = programs.systems()
        for (name, reason) in missing { skip(name, "all", "", reason) }
        for system in systems { idle(system) }
        for system in systems { echo(system) }
        for system in systems { fanouts(system) }
        growthOfEcho()
        growthOfFanout()
        attempt("broadcast") { course in
            [
                try FanoutScenario(scenario: "broadcast", connections: self.programme.fanouts[0], audience: .everyone)
                    .run(course)
            ]
        }
        attempt("pairs") { course in
            [nil, 2_000].compactMap { rate in
                self.caught("pairs", PairsScenario.detail(rate)) {
                    try PairsScenario.run(course.again(), connections: PairsScenario.connectionsDefault, rate: rate)
                }
            }
        }
        rawInserts()
        attempt("writes") { course in
            try self.programme.batches.map { try WritesScenario(batch: $0).run(course.again()) }
        }
        for count in programme.triggers {
            attempt("writes") { [try WritesScenario(batch: WritesScenario.triggersBatch, triggers: count).run($0)] }
        }
        attempt("stored") { try StoredScenario(lengths: self.programme.lengths).run($0) }
        for count in programme.followers {
            attempt("release") { try ReleaseScenario(followers: count, online: self.programme.online).run($0) }
        }
        attempt("soak") { course in
            var course = course
            course.seconds = self.programme.soakSeconds
            let connections = min(PairsScenario.connectionsDefault, self.programme.online)
            return [try SoakScenario(connections: connections, rate: SoakScenario.rateDefault).run(course)]
        }
        storm()
        if let dialogues { replay(dialogues) }
    }

    /// Real conversations, with every delivery on every device checked.
    private func replay(_ path: String) {
        attempt("replay") { course in
            guard let mint = course.mint else { return [] }
            let plan = ReplayPlan(
                dialogues: try DialogueFile(path: path, limit: self.programme.dialogues).dialogues, deviceCount: 2,
                concurrency: 64, speed: .max, patienceMilliseconds: 60_000)
            guard !plan.dialogues.isEmpty else { throw LoadFailure("\(path) has no conversations") }
            let calls = AdminCalls(server: course.server, token: mint.token(for: plan.operatorID, isAdmin: true))
            let before = try course.meter.read()
            var outcome = try ReplayRun.play(
                plan, on: course.server, mint: mint, notificationKind: calls.recommendationKind()
            ).outcome
            let after = try course.meter.read(isThorough: true)
            outcome.cpuSeconds = after.cpuSeconds - before.cpuSeconds
            outcome.residentBytes = after.residentBytes
            outcome.proportionalBytes = after.proportionalBytes
            outcome.descriptors = after.descriptors
            return [outcome]
        }
    }

    private func idle(_ system: MeasuredSystem) {
        let sizes = system.name == "watchwise" ? programme.sessions : [programme.sessions[0]]
        for size in sizes {
            guard fits(size, system.name, "idle") else { continue }
            attempt("idle", on: system) { course in
                var outcome = try IdleScenario.run(course, connections: size)
                outcome.growth = outcome.bytesPerSession.map {
                    .init(
                        axis: "idle sessions", size: Double(size), cost: Double($0),
                        unit: "resident bytes each session")
                }
                return [outcome]
            }
        }
    }

    private func echo(_ system: MeasuredSystem) {
        let size =
            programme.echoes.contains(EchoScenario.connectionsDefault)
            ? EchoScenario.connectionsDefault : programme.echoes[0]
        attempt("echo", on: system) { [try EchoScenario.run($0, connections: size)] }
    }

    private func fanouts(_ system: MeasuredSystem) {
        for size in programme.fanouts where fits(size, system.name, "fanout") {
            for window in [1, 64] {
                attempt("fanout", on: system) { [try FanoutScenario(connections: size, window: window).run($0)] }
            }
        }
    }

    private func growthOfEcho() {
        for size in programme.echoes where fits(size, "watchwise", "echo growth") {
            attempt("echo") { course in
                var outcome = try EchoScenario.run(course, connections: size)
                outcome.scenario = "echo growth"
                outcome.growth = outcome.cost("connections", size, "server CPU µs each message")
                return [outcome]
            }
        }
    }

    private func growthOfFanout() {
        for size in programme.receivers where fits(size, "watchwise", "fanout growth") {
            attempt("fanout") { course in
                var outcome = try FanoutScenario(scenario: "fanout growth", connections: size, window: 8).run(course)
                outcome.growth = outcome.cost("receivers online", size, "server CPU µs each delivery")
                return [outcome]
            }
        }
    }

    /// SQLite alone, at the same sizes of a commit.
    private func rawInserts() {
        let room = newRoom()
        defer { try? FileManager.default.removeItem(atPath: room) }
        let raw = Process()
        raw.executableURL = URL(filePath: programs.floor)
        raw.arguments = ["inserts", "--folder", room, "--seconds", "\(programme.seconds)"]
        let output = Pipe()
        raw.standardOutput = output
        guard (try? Remains.own.start(raw)) != nil else {
            return skip(Goal.floor, "writes", "", "\(programs.floor) cannot be run")
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        raw.waitUntilExit()
        Remains.own.ended(raw)
        for row in (try? JSONValue(parsing: Array(data)))?["batches"]?.arrayValue ?? [] {
            guard let batch = row["batch"]?.integerValue, let count = row["count"]?.integerValue else { continue }
            // The API takes 500 at most, which is as good as 512.
            let same = WritesScenario(batch: batch == 512 ? 500 : Int(batch))
            var outcome = Outcome(system: Goal.floor, scenario: "writes", detail: same.detail)
            outcome.unit = "documents"
            outcome.count = Int(count)
            outcome.seconds = row["seconds"]?.numberValue ?? 0
            outcome.cpuSeconds = row["cpuSeconds"]?.numberValue ?? 0
            run.outcomes.append(outcome)
        }
    }

    private func storm() {
        _ = caught("storm", "kill") {
            let room = newRoom()
            let server = ServedProcess(binary: programs.watchwise, data: room + "/data", arguments: [])
            defer { close(room, server) }
            let address = try server.start()
            let plan = StormPlan(
                mode: .kill, clients: programme.stormClients, loops: loopCount, rounds: 4, server: address,
                mint: try mint(room: room))
            let outcome = try StormRun(plan, server: server, patience: .seconds(60)).play().outcome
            run.outcomes.append(outcome)
            return outcome
        }
    }

    // MARK: Servers

    private func attempt(
        _ scenario: String, on system: MeasuredSystem? = nil, _ body: @escaping (Course) throws -> [Outcome]
    ) {
        let system = system ?? programs.own
        Terminal.note("\(system.name) · \(scenario)")
        do {
            run.outcomes += try serve(system, body)
        } catch {
            failed(system.name, scenario, "", error)
        }
    }

    private func serve(_ system: MeasuredSystem, _ body: (Course) throws -> [Outcome]) throws -> [Outcome] {
        let room = newRoom()
        let port = system.choosesPort ? 0 : try FreePort.find()
        let server = ServedProcess(try system.plan(room), port: port)
        defer { close(room, server) }
        let address = try server.start()
        let course = Course(
            system: system.name, server: address, dialect: system.dialect,
            mint: system.dialect == .watchwise ? try mint(room: room) : nil, meter: ProcessMeter(pid: server.pid),
            seconds: programme.seconds, warmup: programme.warmup, loopCount: loopCount)
        let outcomes = try body(course)
        try server.checkThatItRuns()
        return outcomes
    }

    private func close(_ room: String, _ server: ServedProcess) {
        _ = server.end(SIGKILL)
        try? FileManager.default.removeItem(atPath: room)
    }

    private func mint(room: String) throws -> TokenMint {
        guard let secret = try ServerSecret.load(fromFolder: room + "/data") else {
            throw LoadFailure("no secret in \(room)/data")
        }
        return TokenMint(secret: secret)
    }

    private func newRoom() -> String {
        rooms += 1
        let room = folder.appending(path: "\(rooms)")
        try? FileManager.default.createDirectory(at: room, withIntermediateDirectories: true)
        return room.path
    }

    private func caught(_ scenario: String, _ detail: String, _ body: () throws -> Outcome) -> Outcome? {
        do { return try body() } catch {
            failed("watchwise", scenario, detail, error)
            return nil
        }
    }

    /// Whether there are descriptors for so many connections; if not, that is said.
    private func fits(_ connections: Int, _ system: String, _ scenario: String) -> Bool {
        let needed = connections + 1_000
        if needed <= descriptors { return true }
        skip(system, scenario, "\(connections.grouped) connections", "it needs 'ulimit -n \(needed)'")
        return false
    }

    private func failed(_ system: String, _ scenario: String, _ detail: String, _ error: any Error) {
        guard system == programs.own.name else { return skip(system, scenario, detail, "\(error)") }
        let outcome = Outcome(ended: system, scenario, detail, by: "\(error)")
        run.outcomes.append(outcome)
        Terminal.note("\(outcome.name): broken, \(outcome.broken.joined())")
    }

    private func skip(_ system: String, _ scenario: String, _ detail: String, _ reason: String) {
        var outcome = Outcome(system: system, scenario: scenario, detail: detail)
        outcome.skipped = reason
        run.outcomes.append(outcome)
        Terminal.note("\(outcome.name): skipped, \(reason)")
    }
}

extension Outcome {
    /// A scenario that did not come to its end: of a server that serves, that is a promise broken.
    init(ended system: String, _ scenario: String, _ detail: String, by reason: String) {
        self.init(system: system, scenario: scenario, detail: detail)
        broken = ["it did not come to its end: \(reason)"]
    }

    /// The server's processor time for each of what was counted, as a point of growth.
    func cost(_ axis: String, _ size: Int, _ unit: String) -> Growth? {
        perCPUSecond.map { Growth(axis: axis, size: Double(size), cost: 1_000_000 / $0, unit: unit) }
    }
}
