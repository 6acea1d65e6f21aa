import Authentication
import Configuration
import EventLoop
import Foundation
import GRDB
import Model
import Server
import SimulatedKernel
import Store
import Telemetry
import ThreadMessages

/// The machine on which the server runs: starts it, kills it, cuts the power, stops it normally.
/// - Confinement: the one thread
final class Machine {
    /// One folder for all seeds: the secret in it is made once; the files of SQLite exist only in memory.
    static let folder = FileManager.default.temporaryDirectory.path + "/watchwise-simulate-\(getpid())"
    static let port: UInt16 = 8080
    /// Ten days: shorter than the error of a clock, so that its damage is noticed.
    static let longRetention: Int64 = 10 * 86_400_000

    /// How far the clocks of the machines are ahead, by their numbers; also of those whose process does not run.
    nonisolated(unsafe) static var clockErrors = [Int64](repeating: 0, count: 8)
    /// Whether it will never run again.
    var hasLeft = false
    /// Whether its files are gone: it joins as a new node.
    var losesFolder = false
    /// From 1 on in a cluster; 0 for a server that is alone.
    let number: Int
    /// The journal's servers; nil for a server that is alone.
    private let servers: JournalServers?
    /// The way to the journal of the process that runs.
    private(set) var way: JournalWay?
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
    /// The loops whose turn it is: one, and those that it interrupts or that wait for the journal.
    private var busy: Set<Int> = []
    /// Whether the process was killed while its writer waited: it ends when the wait does.
    private(set) var isDying = false
    private var isFinishing = false
    /// The machine of the run. The disk uses it to interrupt threads, and does not know it otherwise.
    private nonisolated(unsafe) static weak var current: Machine?

    init(loopCount: Int, retentionMilliseconds: Int64? = nil, number: Int = 0, servers: JournalServers? = nil) {
        self.number = number
        self.servers = servers
        process = Int32(number) * 10_000
        self.loopCount = loopCount
        self.retentionMilliseconds = retentionMilliseconds
        unsafe Machine.current = self
    }

    var isRunning: Bool { application != nil && !isDying }
    var isOff: Bool { application == nil }
    var folder: String { Self.folder(number) }
    var port: UInt16 { Self.port + UInt16(number) }

    static func folder(_ number: Int) -> String { number == 0 ? folder : folder + "/n\(number)" }
    var isStopping: Bool { stopDeadline != nil }

    /// Whether a thread of it has a turn, or waits in the middle of one.
    var isBusy: Bool { !busy.isEmpty }
    /// The reason that its process gives for joining as a new node.
    var joinReason: String? { application?.rejoins }
    private static let bounds = ServerConfiguration().cluster
    /// The newest entry that it has, if it answers reads.
    var readsUpTo: Int? { isRunning ? application?.readsUpTo(Self.bounds).map { Int($0) } : nil }
    /// Whether it leads the cluster.
    var leads: Bool { application?.leads == true }
    /// Whether its process takes no part any more in the cluster, and cannot mend that by joining again.
    var isOut: Bool { application?.isOut == true && joinReason == nil }

    /// - Returns: false when the disk prevented the start.
    func start() -> Bool {
        process += 1
        sim_disk_choose(Int32(number))
        sim_set_process(process)
        defer { sim_set_process(0) }
        let before = sim_last_loop()
        stage = LoopStage()
        // The server's own step before SQLite opens the disk; it would use a real file, which does not exist.
        sim_disk_rewrite_logs()
        if servers != nil {
            // A start that fails would leave a cluster's thread that nobody can end; in a real process it ends with it.
            sim_disk_die(-1)
            sim_disk_fail(0, 0, 0)
        }
        do {
            application = try Application(configuration, on: stage, in: servers.map(simulated))
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
        configuration.listen = ["127.0.0.1:\(port)"]
        configuration.data = folder
        if servers != nil {
            configuration.cluster.journal = ["nats://journal:4222"]
            configuration.cluster.node = "n\(number)"
        }
        configuration.retention.log = retentionMilliseconds ?? Self.longRetention
        configuration.loops = loopCount
        configuration.triggers = [.ready(.filmNetwork)]
        configuration.logLevel = ProcessInfo.processInfo.environment["SIMULATION_LOG"] == nil ? .silent : .debug
        configuration.heartbeatMilliseconds = 5000
        configuration.clock = WallClock { [number] in
            unsafe Timestamp(milliseconds: sim_wall() + Machine.clockErrors[number])
        }
        return configuration
    }

    private func simulated(_ servers: JournalServers) -> SimulatedCluster {
        SimulatedCluster(turningOthers: { unsafe World.current?.stepWhileWaiting() }) { [number] loop, events in
            guard let world = unsafe World.current, let servers = world.servers else { throw Broken("no journal") }
            let way = try JournalWay(on: loop, to: servers, events)
            world.machines.first { $0.number == number }?.way = way
            return way
        }
    }

    /// The process dies at once, or with it the power fails.
    func crash(isPowerCut: Bool, isSilent: Bool) {
        sim_disk_choose(Int32(number))
        sim_kill_process(process, isSilent)
        sim_disk_crash(isPowerCut)
        guard busy.isEmpty else {
            isDying = true
            return endCluster()
        }
        finishCrash()
    }

    private func finishCrash() {
        crashes += 1
        endCluster()
        stage.abandon()
        application = nil
        loops = []
        stopDeadline = nil
        isDying = false
        sim_disk_choose(Int32(number))
        sim_disk_revive()
    }

    /// Ends the cluster's thread of a dead process, so that nothing leaves it and the writer waits no more.
    private func endCluster() {
        way?.die()
        way = nil
        guard let mailbox = application?.mail.cluster, loops.count > 1 else { return }
        mailbox.post(.stop)
        let cluster = loops[1].loop
        if stage.loops.contains(where: { $0 === cluster }) { stage.turn(cluster) }
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
        guard isRunning else { return false }
        sim_disk_choose(Int32(number))
        if busy.isEmpty, let stopDeadline, sim_now() >= stopDeadline || sim_socket_count(process) == 0 {
            finishStopping()
            return true
        }
        if Dice.once(in: 40) { starved = Dice.below(3 * loops.count) }
        let ready = loops.indices.filter { $0 != starved && !busy.contains($0) && sim_is_ready(loops[$0].number) }
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
        guard !busy.isEmpty, !isDying, !isFinishing else { return }
        for _ in 0...Dice.below(2) {
            let ready = loops.indices.filter { !busy.contains($0) && sim_is_ready(loops[$0].number) }
            guard let index = Dice.pick(ready) else { continue }
            busy.insert(index)
            stage.turn(loops[index].loop)
            busy.remove(index)
        }
    }

    private func turn(_ index: Int) {
        let interrupted = unsafe Machine.current
        unsafe Machine.current = self
        busy.insert(index)
        stage.turn(loops[index].loop)
        busy.remove(index)
        unsafe Machine.current = interrupted
        guard busy.isEmpty else { return }
        if isDying { return finishCrash() }
        sim_disk_choose(Int32(number))
        if sim_disk_is_dead() { crash(isPowerCut: Dice.once(in: 2), isSilent: Dice.once(in: 4)) }
    }

    private func finishStopping() {
        // The application turns the loops itself. Its writer may wait for the journal, for which only the cluster's
        // loop must have turns.
        isFinishing = true
        busy = Set(loops.indices).subtracting([1])
        application?.finishStopping(on: stage)
        busy = []
        isFinishing = false
        if isDying { return finishCrash() }
        sim_disk_choose(Int32(number))
        way = nil
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
        let queue = try DatabaseQueue(path: folder + "/watchwise.db")
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
    ///
    /// - Parameter nodes: of a cluster, each with a copy; 1 for a server that is alone.
    static func prepare(nodes: Int) throws -> (epoch: Epoch, files: [String: Data]) {
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
        if nodes > 1 { try found() }
        sim_disk_keep_image()
        if nodes > 1 { try copy(to: nodes) }
        guard let epoch = text.flatMap(Epoch.init) else { throw Broken("a new database has no epoch") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let kept = names.filter { $0 != "watchwise.db" && !$0.hasPrefix("n") }
        let files = try kept.map { ($0, try Data(contentsOf: URL(filePath: folder + "/" + $0))) }
        return (epoch, Dictionary(uniqueKeysWithValues: files))
    }

    /// Makes the database that of a cluster.
    private static func found() throws {
        let directory = try DataDirectory(folder)
        let writer = try Founding.open(directory)
        try writer.pass(Founding.beginning)
        try writer.close()
    }

    /// Gives each node the same database, and a disk of its own.
    private static func copy(to nodes: Int) throws {
        for number in 1...nodes {
            let folder = folder(number)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data().write(to: URL(filePath: folder + "/watchwise.db"))
            unsafe sim_disk_mount(Int32(number), folder + "/")
            unsafe sim_disk_copy_image(Self.folder + "/watchwise.db", folder + "/watchwise.db")
        }
    }

    /// Puts the files on the real disk back to their first state.
    static func reset(_ files: [String: Data], nodes: Int) throws {
        for number in 0...(nodes > 1 ? nodes : 0) {
            try? FileManager.default.removeItem(atPath: folder(number) + "/erasures")
            for (name, content) in files {
                let path = folder(number) + "/" + name
                try content.write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
        }
    }

    /// Removes the folder.
    static func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
