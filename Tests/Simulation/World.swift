import Client
import ClientProtocol
import EventLoop
import JSON
import Model
import SimulatedKernel

/// One run: a machine with a server, devices of some users, a feed, and all the events and faults.
/// - Confinement: the one thread
final class World {
    static let people = ["ada", "bob", "cy", "dan"].compactMap { UserID($0) }
    /// The preferences of some people: another zone, and releases in a digest once a minute.
    static let preferences: [(user: UserID, wanted: JSONObject)] = [
        (people[2], ["timeZone": "Asia/Tokyo"]),
        (people[3], ["timeZone": "America/Phoenix", "digest": ["release": ["every": .integer(digestSeconds)]]]),
    ]
    /// Guests of runs with erasures: no other text contains their names.
    static let guests = ["xenia", "yorick"].compactMap { UserID($0) }
    static let digestSeconds: Int64 = 60
    /// The zones of these people, which have the same offset all year: a run must know the local times.
    static let zones = [Zone(offsetHours: 0), Zone(offsetHours: 9), Zone(offsetHours: -7)]

    static func zone(of user: UserID) -> Zone {
        user == people[2] ? zones[1] : user == people[3] ? zones[2] : zones[0]
    }

    static let topics = ["person:p1", "person:p2"].compactMap { Topic($0) }

    let ledger = Ledger()
    /// One, or the nodes of a cluster.
    let machines: [Machine]
    /// The journal of a cluster.
    let servers: JournalServers?
    /// The kind of a cluster's run.
    let kind: ClusterKind?
    /// The things that people do besides writing in chats of two.
    let social: SocialKind
    let feed: Feed
    let epoch: Epoch
    private(set) var devices: [Device] = []
    private let clients = LoopStage()
    private let loop: Loop
    private let loopNumber: Int32
    private var nextDevice = 0
    private var restartAt: [Int64]
    /// Since when a node answers reads and lacks an old entry.
    private var staleSince: [Int: Int64] = [:]
    /// A node that lags by 5 s answers no reads; one that is cut off notices it after 2 s, and counts up to 2 s for a slow network.
    private static let staleMax: Int64 = 15_000
    /// The world of the run, which the waits for the journal turn.
    nonisolated(unsafe) static weak var current: World?
    /// Whether faults are over.
    private(set) var isCalm = false
    /// Whether a node may join as a new one for any reason.
    var mayJoinAgain = false
    /// Whether a node may take no part any more.
    var mayStop = false
    /// Whether reads of the disk have failed.
    var hadReadFaults = false
    /// Whether faults may happen while a writer waits for the journal.
    var failsWhileWaiting = false

    /// How long the log is kept; nil is longer than a run takes, and only then does the log contain everything at the
    /// end.
    let retentionMilliseconds: Int64?

    init(epoch: Epoch, nodes: Int = 1, _ mistake: Mistake? = nil) throws {
        self.epoch = epoch
        restartAt = Array(repeating: 0, count: nodes)
        kind = nodes > 1 ? ClusterKind() : nil
        retentionMilliseconds =
            nodes > 1
            ? kind?.retentionMilliseconds : Dice.once(in: 8) ? 5000 + Int64(Dice.below(20_000)) : nil
        unsafe Machine.clockErrors = Machine.clockErrors.map { _ in 0 }
        social = SocialKind()
        ledger.mayReset = retentionMilliseconds != nil
        ledger.ages.retentionMilliseconds = retentionMilliseconds ?? Machine.longRetention
        sim_set_process(0)
        loop = try clients.makeLoop()
        loopNumber = sim_last_loop()
        if let kind {
            let servers = JournalServers(on: loop, kind, mistake: mistake)
            self.servers = servers
            machines = (1...nodes).map { [retentionMilliseconds] in
                Machine(
                    loopCount: 1 + Dice.below(2), retentionMilliseconds: retentionMilliseconds, number: $0,
                    servers: servers)
            }
        } else {
            servers = nil
            machines = [Machine(loopCount: 1 + Dice.below(3), retentionMilliseconds: retentionMilliseconds)]
        }
        feed = try Feed(on: loop, to: machines.map(\.port), ledger: ledger)
        unsafe World.current = self
    }

    /// The server that is alone, or the first node that is still there.
    var machine: Machine { members.first ?? machines[0] }
    /// All nodes but those that have left for good.
    var members: [Machine] { machines.filter { !$0.hasLeft } }
    var isCluster: Bool { servers != nil }
    /// Everybody from the beginning.
    var people: [UserID] { Self.people + (social.hasErasures ? Self.guests : []) }
    /// Everybody but the erased.
    var remaining: [UserID] { people.filter { !ledger.isErased($0) } }

    /// - Parameters:
    ///   - isComplete: Whether it reads from the beginning of the log, so that it must have everything.
    ///   - port: Of the node to which it connects first; nil for any.
    @discardableResult
    func addDevice(of user: UserID, isComplete: Bool, at port: UInt16? = nil) throws -> Device {
        nextDevice += 1
        let device = try Device(
            user, "\(Self.guests.contains(user) ? "guest" : user.text)-\(nextDevice)", since: isComplete ? epoch : nil,
            isCompressed: Dice.once(in: 3),
            tokenSeconds: Dice.once(in: 3) ? 35 + Int64(Dice.below(60)) : 3600, on: loop, to: machines.map(\.port),
            first: port, ledger: ledger)
        devices.append(device)
        return device
    }

    /// Sets the wall clock.
    func jumpWall(byMilliseconds milliseconds: Int64) {
        sim_jump_wall(milliseconds)
        ledger.ages.clockMoved(byMilliseconds: milliseconds)
    }

    /// One small step: a turn of a loop, the movement of some bytes, or time.
    func step() throws {
        for index in machines.indices where machines[index].isOff && sim_now() >= restartAt[index] {
            if !machines[index].hasLeft { try startMachine(index) }
        }
        feed.step()
        switch Dice.below(10) {
        case 0..<4: if try stepMachine() { return }
        case 4..<7: if sim_move_bytes() { return }
        default:
            if sim_is_ready(loopNumber) { return clients.turn(loop) }
        }
        if Dice.once(in: 8) { clients.turn(loop) }
        if try stepMachine() || sim_move_bytes() { return }
        if sim_is_ready(loopNumber) { return clients.turn(loop) }
        passTime()
    }

    private func stepMachine() throws -> Bool {
        let first = machines.count > 1 ? Dice.below(machines.count) : 0
        for offset in machines.indices {
            let index = (first + offset) % machines.count
            let crashes = machines[index].crashes
            let isBusy = machines[index].step()
            if machines[index].crashes > crashes { try crashed(index) }
            if isCluster { try checkStanding(index) }
            if isBusy { return true }
        }
        return false
    }

    /// A node ends when the journal no longer has the entries that it needs. Other reasons are faults that no run has.
    ///
    /// After an invariant broke nothing more is checked: a writer that waits for the journal must come to the end of its wait.
    private func checkStanding(_ index: Int) throws {
        guard ledger.broken == nil else { return }
        if machines[index].isOut, !mayStop { throw Broken("node \(machines[index].number) takes no part any more") }
        try checkReads(index)
        guard let reason = machines[index].rejoins else { return }
        let isOld = kind?.forgetsEntries == true && reason.hasPrefix("the journal no longer has entry")
        guard isOld || mayJoinAgain else {
            throw Broken("node \(machines[index].number) takes no part any more: \(reason)")
        }
        machines[index].losesFolder = true
        try crash(index, isPowerCut: false, isSilent: false)
    }

    /// A node that answers reads has everything that the journal has had for long.
    private func checkReads(_ index: Int) throws {
        guard let servers, let last = machines[index].readsUpTo, last < servers.entries.count,
            sim_now() - servers.storedAt[last] > Self.staleMax
        else { return staleSince[index] = nil }
        let since = staleSince[index] ?? sim_now()
        staleSince[index] = since
        // A node looks every 50 ms at how it stands.
        guard sim_now() - since > 60 else { return }
        let age = sim_now() - servers.storedAt[last]
        throw Broken("node \(machines[index].number) answers reads without entry \(last + 1), which is \(age) ms old")
    }

    private func startMachine(_ index: Int) throws {
        if machines[index].losesFolder, let servers {
            guard try machines[index].join(oneOf: machines, from: Int64(servers.first)) else {
                restartAt[index] = sim_now() + 500
                return
            }
        }
        // If the failing disk prevented the start, that counts as another crash.
        if !machines[index].start() { restartAt[index] = sim_now() + 500 }
    }

    /// A writer's thread waits for the journal, and everything else goes on.
    func stepWhileWaiting() {
        do {
            try step()
            if failsWhileWaiting, !isCalm, Dice.once(in: 400) { try failNodes() }
        } catch let broken as Broken {
            ledger.broke(broken.description)
        } catch {
            ledger.broke("\(error)")
        }
    }

    /// Nothing can be done now: lets time pass until something can.
    private func passTime() {
        let restarts = machines.indices.filter { machines[$0].isOff && !machines[$0].hasLeft }.map { restartAt[$0] }
        let deadline = isCluster ? sim_next_wake() : sim_next_deadline()
        let waits = ([deadline, sim_next_arrival()] + restarts).filter { $0 > sim_now() }
        guard let next = waits.min() else { return sim_advance(1) }
        sim_advance(next - sim_now())
    }

    func crash(_ index: Int = 0, isPowerCut: Bool, isSilent: Bool) throws {
        machines[index].crash(isPowerCut: isPowerCut, isSilent: isSilent)
        if !machines[index].isDying { try crashed(index) }
    }

    /// The same, and the machine stays off for a time.
    func crash(_ index: Int, isPowerCut: Bool, isSilent: Bool, forMilliseconds milliseconds: Int64) throws {
        try crash(index, isPowerCut: isPowerCut, isSilent: isSilent)
        restartAt[index] = sim_now() + milliseconds
    }

    /// Checks that acknowledged writes exist, before anything repairs the database.
    private func crashed(_ index: Int) throws {
        restartAt[index] = sim_now() + Int64(Dice.below(isCluster ? 12_000 : 3000))
        guard Dice.once(in: 3), !machines[index].losesFolder, ledger.broken == nil else { return }
        try isCluster
            ? Audit.checkWhole(machines[index]) : Audit.checkDisk(of: machines[index], against: ledger)
    }

    /// Ends the faults, and runs until all work is done.
    func calmDown() throws {
        isCalm = true
        sim_disk_heal()
        sim_thaw()
        sim_set_delay(0)
        sim_fail_accepts(0)
        servers?.calmDown()
        // A process that could not read the newest write at its start waits for minutes with all that becomes due.
        if hadReadFaults, machine.isRunning { try crash(isPowerCut: false, isSilent: false) }
        unsafe Machine.clockErrors = Machine.clockErrors.map { _ in 0 }
        try comeToRest()
        // Connections that are dead without knowing it are noticed by the heartbeats.
        try settle(milliseconds: 20_000)
        // The last digests and the last due notifications are sent.
        try settle(milliseconds: 2 * Self.digestSeconds * 1000)
        try comeToRest()
        try settle(milliseconds: 1000)
    }

    func comeToRest() throws {
        try run(until: sim_now() + 600_000) { [self] in
            members.allSatisfy { $0.isRunning && !$0.isStopping } && feed.isIdle
                && devices.allSatisfy { $0.isStopped || ($0.isLive && $0.pendingCount == 0) }
        }
    }

    /// Runs until all sent messages have arrived.
    func settle(milliseconds: Int64) throws {
        let end = sim_now() + milliseconds
        try run(until: end) { sim_now() >= end }
    }

    /// Steps until a condition is true.
    func run(until deadline: Int64, _ isDone: () -> Bool) throws {
        while !isDone() {
            try step()
            if let broken = ledger.broken { throw broken }
            guard sim_now() < deadline || isDone() else {
                let waiting = devices.filter { !$0.isStopped && !($0.isLive && $0.pendingCount == 0) }
                let off = members.filter { !$0.isRunning }.map { "\($0.number) is down: \($0.startProblem)" }
                throw Broken("it does not come to rest: \(waiting.map(\.name)), feed idle: \(feed.isIdle), \(off)")
            }
        }
    }

    /// Ends everything, so that the next seed can begin.
    func end() {
        for machine in machines { machine.crash(isPowerCut: false, isSilent: false) }
        servers?.close()
        feed.close()
        for device in devices where !device.isStopped { device.stop() }
        clients.abandon()
    }
}

/// A time zone whose clocks are never put forward or back.
/// - Confinement: any
struct Zone {
    let offsetHours: Int64

    /// The local time.
    /// - Parameter time: milliseconds since 1970.
    func wall(at time: Int64) -> String {
        let shown = Timestamp(milliseconds: time + offsetHours * 3_600_000).text
        return String(shown.prefix { $0 != "." && $0 != "Z" })
    }

    /// The instant of a local time, in milliseconds since 1970.
    func time(of wall: String) -> Int64? {
        Timestamp(wall + "Z").map { $0.milliseconds - offsetHours * 3_600_000 }
    }
}
