import Authentication
import Configuration
import EventLoop
import Foundation
import GRDB
import Model
import Server
import SimulatedKernel
import Telemetry

/// The machine on which the server runs: starts it, kills it, cuts the power, stops it normally.
/// - Confinement: the one thread
final class Machine {
    /// One folder for all seeds: the secret in it is made once; the files of SQLite exist only in memory.
    static let folder = FileManager.default.temporaryDirectory.path + "/watchwise-simulate-\(getpid())"
    static let port: UInt16 = 8080
    /// Ten days: shorter than the error of a clock, so that its damage is noticed.
    static let longRetention: Int64 = 10 * 86_400_000

    private var stage = LoopStage()
    private var application: Application?
    /// The loops of the running server, with the kernel's numbers.
    private var loops: [(loop: Loop, number: Int32)] = []
    private var process: Int32 = 0
    private let loopCount: Int
    /// Nil keeps the log longer than a run takes.
    private let retentionMilliseconds: Int64?
    /// A loop that gets no turn for a while, so that messages of the others pile up in its mailbox.
    private var starved = -1
    private var stopDeadline: Int64?
    private(set) var crashes = 0
    /// The reason why it did not start.
    private(set) var startProblem = ""
    /// The loop whose turn it is.
    private var turning: Int?
    /// The machine of the run. The disk uses it to interrupt threads, and does not know it otherwise.
    private nonisolated(unsafe) static weak var current: Machine?

    init(loopCount: Int, retentionMilliseconds: Int64? = nil) {
        self.loopCount = loopCount
        self.retentionMilliseconds = retentionMilliseconds
        unsafe Machine.current = self
    }

    var isRunning: Bool { application != nil }
    var isStopping: Bool { stopDeadline != nil }

    /// - Returns: false when the disk prevented the start.
    func start() -> Bool {
        process += 1
        sim_set_process(process)
        defer { sim_set_process(0) }
        let before = sim_last_loop()
        stage = LoopStage()
        // The server's own step before SQLite opens the disk; it would use a real file, which does not exist.
        sim_disk_rewrite_logs()
        do {
            application = try Application(configuration, on: stage)
        } catch {
            startProblem = "\(error)"
            crash(isPowerCut: false, isSilent: false)
            return false
        }
        loops = stage.loops.enumerated().map { ($1, before + 1 + Int32($0)) }
        return true
    }

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.listen = ["127.0.0.1:\(Self.port)"]
        configuration.data = Self.folder
        configuration.logRetention = LogRetentionTime(milliseconds: retentionMilliseconds ?? Self.longRetention)
        configuration.loops = loopCount
        configuration.logLevel = ProcessInfo.processInfo.environment["SIMULATION_LOG"] == nil ? .silent : .debug
        configuration.heartbeatMilliseconds = 5000
        configuration.clock = WallClock { Timestamp(milliseconds: sim_wall()) }
        return configuration
    }

    /// The process dies at once, or with it the power fails.
    func crash(isPowerCut: Bool, isSilent: Bool) {
        crashes += 1
        sim_kill_process(process, isSilent)
        sim_disk_crash(isPowerCut)
        stage.abandon()
        application = nil
        loops = []
        stopDeadline = nil
        sim_disk_revive()
    }

    /// SIGTERM.
    func beginStopping() {
        guard let application, stopDeadline == nil else { return }
        application.beginStopping()
        stopDeadline = sim_now() + Limits.drainMilliseconds + 1500
    }

    /// Gives one loop a turn, or does work that has become due.
    ///
    /// - Returns: false when there was nothing to do.
    func step() -> Bool {
        guard application != nil else { return false }
        if let stopDeadline, sim_now() >= stopDeadline || sim_socket_count(process) == 0 {
            finishStopping()
            return true
        }
        if Dice.once(in: 40) { starved = Dice.below(3 * loops.count) }
        let ready = loops.indices.filter { $0 != starved && sim_is_ready(loops[$0].number) }
        guard let index = Dice.pick(ready) else {
            if starved >= 0 { starved = -1 }
            return false
        }
        turn(index)
        return true
    }

    /// From here on, threads are interrupted at random while they read or write the disk.
    func interrupt(onceIn odds: UInt64) {
        sim_interrupt_disk({ unsafe Machine.current?.interruptTurn() }, odds)
    }

    /// Gives another thread one or two turns during a thread's turn: as if this thread were slow.
    private func interruptTurn() {
        guard let turning else { return }
        for _ in 0...Dice.below(2) {
            let ready = loops.indices.filter { $0 != turning && sim_is_ready(loops[$0].number) }
            if let index = Dice.pick(ready) { stage.turn(loops[index].loop) }
        }
    }

    private func turn(_ index: Int) {
        turning = index
        stage.turn(loops[index].loop)
        turning = nil
        if sim_disk_is_dead() { crash(isPowerCut: Dice.once(in: 2), isSilent: Dice.once(in: 4)) }
    }

    private func finishStopping() {
        application?.finishStopping(on: stage)
        if sim_disk_is_dead() { return crash(isPowerCut: Dice.once(in: 2), isSilent: false) }
        // The kernel closes the files of a dead process.
        sim_kill_process(process, false)
        stage.abandon()
        application = nil
        loops = []
        stopDeadline = nil
    }

    /// Reads the database while no server runs.
    func inspect<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: Self.folder + "/watchwise.db")
        defer { try? queue.close() }
        return try queue.read(body)
    }

    /// Makes every signed token.
    static func token(_ user: UserID, isAdmin: Bool = false, seconds: Int64) -> String? {
        guard let secret = try? ServerSecret.loadOrCreate(inFolder: folder) else { return nil }
        let now = Timestamp(milliseconds: sim_wall())
        let claims = Claims(
            subject: user, scopes: isAdmin ? [Claims.adminScope] : [],
            expiresAt: now.adding(milliseconds: seconds * 1000))
        return JSONWebToken.sign(claims, issuedAt: now, with: secret)
    }

    /// Makes the database with which every seed begins: migrated, with the triggers that ship with the server.
    ///
    /// - Returns: its epoch, and the files on the real disk.
    static func prepare() throws -> (epoch: Epoch, files: [String: Data]) {
        sim_disk_install()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The file is empty; the witness recognizes the database by its number.
        try Data().write(to: URL(filePath: folder + "/watchwise.db"))
        sim_begin(0)
        let machine = Machine(loopCount: 1)
        guard machine.start() else { throw Broken("no start on an empty disk: \(machine.startProblem)") }
        machine.beginStopping()
        machine.finishStopping()
        let queue = try DatabaseQueue(path: folder + "/watchwise.db")
        // Each trigger is compiled at each start, so only those that the workload fires are kept, with short texts.
        let fired = Audit.triggers.map { "'\($0)'" }.joined(separator: ",")
        let text = try queue.write { database in
            try database.execute(sql: "DELETE FROM triggers WHERE name NOT IN (\(fired))")
            try database.execute(
                sql: """
                    UPDATE triggers SET row = json_set(
                        json_remove(row, '$.at', '$.rearm', '$.withdraw', '$.with', '$.clock'),
                        '$.title', json(?), '$.body', json(?))
                    """,
                arguments: [#"{"en":"T"}"#, #"{"en":"B"}"#])
            // The clocks of a run are wrong, so the nearness of a day must not decide about firing. A follower of one
            // or both directors is notified once, at their own local time, with the name that another document has.
            try database.execute(
                sql: """
                    UPDATE triggers SET row = json_set(row, '$.condition', 'after IS NOT NULL',
                        '$.audience', json_array('followers:person:{person}', 'followers:' || ?),
                        '$.at', 'after->>''when''', '$.clock', 'recipient', '$.withdraw', 'after IS NULL',
                        '$.with', json('{"who":"people/{person}"}'), '$.title', 'T {{who.name}}') WHERE name = ?
                    """,
                arguments: [World.topics[1].text, "director-release"])
            return try String.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'epoch'")
        }
        try queue.close()
        sim_disk_keep_image()
        guard let epoch = text.flatMap(Epoch.init) else { throw Broken("a new database has no epoch") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "watchwise.db" }
        let files = try names.map { ($0, try Data(contentsOf: URL(filePath: folder + "/" + $0))) }
        return (epoch, Dictionary(uniqueKeysWithValues: files))
    }

    /// Puts the files on the real disk back to their first state.
    static func reset(_ files: [String: Data]) throws {
        for (name, content) in files { try content.write(to: URL(filePath: folder + "/" + name)) }
    }

    /// Removes the folder.
    static func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
