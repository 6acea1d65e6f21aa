import Cluster
import EventLoop
import JournalLink
import SimulatedKernel
import ThreadMessages

/// One node's way to the simulated journal, in the place of a `JournalClient`.
/// - Confinement: the one thread
final class JournalWay: ClusterJournal {
    /// A call on the node's loop at a time.
    private struct Call {
        let at: Int64
        let number: Int
        let run: () -> Void
    }

    private let servers: JournalServers
    private let events: (JournalLinkEvent) -> Void
    private let server: JournalServer
    private let address: JournalAddress
    private var timer: LoopTimer?
    private var calls: [Call] = []
    private var nextCall = 0
    /// When the newest message arrives, there and here: one connection has all in order.
    private var lastThere: Int64 = 0
    private var lastHere: Int64 = 0
    private var listeners: [(rest: String, handle: (JournalSignal) -> Void)] = []
    private var reads: [JournalWayReading] = []
    private var isDead = false
    /// Whether the node believes that there is a connection.
    private var isConnected = false
    private(set) var counts = JournalCounts()
    /// The server of the journal to which the node is connected, of three.
    private(set) var place = Dice.below(3)
    /// Whether the machine is cut off, with a server of its own that greets and reaches no other one: the connection stands.
    var isLonely = false
    /// Messages for the machine that is cut off, in order: the link delivers them when it is whole again.
    private var held: [(bytes: [UInt8], rest: String)] = []
    private var isParted: Bool { isCut || isLonely }
    /// Whether nothing gets through: the node notices it after some seconds.
    var isCut = false {
        didSet {
            guard isCut != oldValue else { return }
            let notice = isCut ? Int64(Dice.below(4000)) : servers.delay()
            servers.at(sim_now() + notice) { [weak self] in self?.noticeCut() }
        }
    }

    init(on loop: Loop, to servers: JournalServers, _ events: @escaping (JournalLinkEvent) -> Void) throws {
        self.servers = servers
        self.events = events
        let info = #"{"server_name":"simulated","version":"2.15.1","max_payload":8388608,"jetstream":true}"#
        server = try JournalServer(line: Array("INFO \(info)".utf8))
        address = try JournalAddress("nats://journal:4222")
        timer = LoopTimer(on: loop) { [unowned self] in runDue() }
        servers.add(self)
        servers.at(sim_now() + servers.delay()) { [weak self] in self?.noticeCut() }
    }

    /// Whether an entry says that its author leads.
    static func isLead(_ bytes: [UInt8]) -> Bool {
        let entry = bytes.dropFirst(JournalSeal.headBytes)
        return entry.count > 3 && entry[entry.startIndex + 3] == 1
    }

    var messageBytesMax: Int? { isConnected ? server.payloadBytesMax : nil }

    /// The network is whole again.
    func mend() {
        guard !isDead, isParted else { return }
        (isCut, isLonely) = (false, false)
        for message in held { hear(message.bytes, message.rest) }
        held = []
        // A cut that nobody noticed only delays what was on its way.
        servers.at(sim_now() + servers.delay()) { [weak self] in self?.readOn() }
    }

    /// The node is dead: nothing leaves it, and nothing reaches it.
    func die() {
        isDead = true
        isCut = true
        servers.remove(self)
    }

    func close() {
        servers.remove(self)
        reads = []
        listeners = []
        calls = []
        timer?.close()
        timer = nil
    }

    private func noticeCut() {
        guard isConnected == isCut, timer != nil else { return }
        isConnected = !isCut
        // The cut may begin or end before the node hears of this: each change has a call of its own.
        later(0) { [unowned self, isConnected] in
            events(isConnected ? .connected(server, address) : .disconnected(reason: "the network is cut"))
        }
        readOn()
    }

    /// Goes to another server, if the network lets it.
    func changeServer(because reason: String) {
        guard isConnected, !isParted else { return }
        place = (place + 1) % 3
        later(0) { [unowned self] in
            guard isConnected, !isCut else { return }
            events(.disconnected(reason: reason))
            events(.connected(server, address))
        }
    }

    // MARK: Questions

    func append(
        _ bytes: [UInt8], after last: UInt64, timeoutMilliseconds: Int, _ done: @escaping (AppendOutcome) -> Void
    ) {
        guard isConnected else { return later(0) { done(.notConnected) } }
        let answer = once(done)
        later(Int64(timeoutMilliseconds)) { answer(.unknown(reason: "no answer came in time")) }
        if isLonely { later(servers.delay()) { answer(.noLeader) } }
        if servers.mistake == .acknowledgeEarly, !Self.isLead(bytes), Dice.once(in: 2) {
            later(0) { answer(.appended(last + 1)) }
        }
        reach { [unowned self] in
            servers.append(bytes, after: last) { [weak self] outcome in
                self?.comeBack {
                    switch outcome {
                    case .place(let sequence): answer(.appended(sequence))
                    case .refused(let last): answer(.refused(last: last))
                    case .noLeader: answer(.noLeader)
                    }
                }
            }
        }
    }

    func askBounds(_ done: @escaping (Result<JournalBounds, JournalFailure>) -> Void) {
        guard isConnected else { return later(0) { done(.failure(.notConnected)) } }
        let answer = once(done)
        later(2000) { answer(.failure(.noAnswer)) }
        if isLonely { later(servers.delay()) { answer(.failure(.noLeader)) } }
        reach { [unowned self] in
            let last = servers.hasLeader ? UInt64(servers.entries.count) : nil
            let first = UInt64(servers.first)
            comeBack {
                answer(
                    last.map { .success(JournalBounds(first: first, last: $0, majorityAgeMilliseconds: 0)) }
                        ?? .failure(.noLeader))
            }
        }
    }

    /// A closure that works only the first time.
    private func once<Value>(_ done: @escaping (Value) -> Void) -> (Value) -> Void {
        var isDone = false
        return { value in
            guard !isDone else { return }
            isDone = true
            done(value)
        }
    }

    /// Does something on the servers, unless the message is lost on its way.
    private func reach(_ run: @escaping () -> Void) {
        guard !isParted else { return }
        lastThere = max(lastThere, sim_now() + servers.delay())
        servers.at(lastThere) { [weak self] in
            guard let self, !isParted, timer != nil else { return }
            run()
        }
    }

    /// Does something on the node, unless the message is lost on its way.
    private func comeBack(_ run: @escaping () -> Void) {
        guard !isParted, !servers.isUnlucky() else { return }
        arrive(after: servers.delay(), run)
    }

    private func arrive(after delay: Int64, _ run: @escaping () -> Void) {
        lastHere = max(lastHere, sim_now() + delay)
        later(lastHere - sim_now(), run)
    }

    // MARK: Reading

    func read(
        from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        ended: @escaping (JournalReadEnd) -> Void
    ) -> any ClusterReading {
        let reading = JournalWayReading(from: sequence, handle, ended)
        reads.append(reading)
        readOn()
        return reading
    }

    /// Brings entries to the reads that go on.
    func readOn() {
        reads.removeAll(where: \.isStopped)
        guard isConnected, !isParted else { return }
        for reading in reads where reading.next < servers.first {
            reading.stop()
            let first = UInt64(servers.first)
            later(0) { reading.ended(.gone(first: first)) }
        }
        reads.removeAll(where: \.isStopped)
        for reading in reads where !reading.isUnderWay && reading.next <= servers.entries.count {
            reading.isUnderWay = true
            arrive(after: servers.delay()) { [weak self, reading] in
                guard let self else { return }
                reading.isUnderWay = false
                guard !reading.isStopped, !isParted, reading.next >= servers.first else { return readOn() }
                let count = min(1 + Dice.below(8), servers.entries.count - reading.next + 1)
                guard count > 0 else { return }
                let first = reading.next
                reading.next += count
                reading.handle(
                    (first..<first + count).map {
                        JournalMessage(sequence: UInt64($0), bytes: servers.entries[$0 - 1])
                    })
                readOn()
            }
        }
    }

    // MARK: Messages that are not kept

    func send(_ bytes: [UInt8], to rest: String) -> Bool {
        guard isConnected else { return false }
        let times = servers.isUnlucky() ? Dice.below(2) * 2 : 1
        for _ in 0..<times { reach { [unowned self] in servers.spread(bytes, to: rest, from: place) } }
        return true
    }

    func listen(to rest: String, _ handle: @escaping (JournalSignal) -> Void) { listeners.append((rest, handle)) }

    /// A message comes from the servers.
    func hear(_ bytes: [UInt8], _ rest: String) {
        if isLonely, !isCut { held.append((bytes, rest)) }
        guard !isParted else { return }
        for listener in listeners where listener.rest == rest {
            let signal = { [unowned self] in
                guard !isParted else { return }
                listener.handle(JournalSignal(subject: "ww.watchwise.\(rest)", bytes: bytes))
            }
            guard servers.isUnlucky() else {
                arrive(after: servers.delay(), signal)
                continue
            }
            // It holds up no other message: a cluster does not work on a network on which every message takes seconds.
            later(servers.delay() + servers.lateness(), signal)
        }
    }

    // MARK: Time

    /// Calls the node on its loop.
    private func later(_ milliseconds: Int64, _ run: @escaping () -> Void) {
        guard timer != nil else { return }
        nextCall += 1
        calls.append(Call(at: sim_now() + milliseconds, number: nextCall, run: run))
        start()
    }

    private func runDue() {
        let now = sim_now()
        let due = calls.filter { $0.at <= now }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
        calls.removeAll { $0.at <= now }
        for call in due where timer != nil { call.run() }
        start()
    }

    private func start() {
        guard let timer, let first = calls.map(\.at).min() else { return }
        timer.start(afterMilliseconds: max(0, first - sim_now()))
    }
}

/// A read of the simulated journal.
/// - Confinement: the one thread
final class JournalWayReading: ClusterReading {
    let handle: ([JournalMessage]) -> Void
    let ended: (JournalReadEnd) -> Void
    /// The next entry to bring.
    var next: Int
    var isUnderWay = false
    private(set) var isStopped = false

    init(
        from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        _ ended: @escaping (JournalReadEnd) -> Void
    ) {
        next = Int(sequence)
        self.handle = handle
        self.ended = ended
    }

    func consumed(through sequence: UInt64) {}

    func stop() { isStopped = true }
}
