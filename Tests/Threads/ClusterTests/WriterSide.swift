import ClientProtocol
import Cluster
import EventLoop
import Execution
import Journal
import JournalLink
import Model
import Quotas
import Synchronization
import Telemetry
import ThreadMessages

/// A node without a database: the real thread of the cluster, and a writer that keeps texts. It commits what it is given
/// while it leads, hands it on while it follows, and applies entries.
///
/// - Confinement: any
final class NodeUnderTest: Sendable {
    /// The facts of the node that the test sees.
    struct Seen: Sendable {
        var log: [String] = []
        var place = JournalPlace(sequence: 0, term: 0)
        var leads = false
        /// The answers to its own writes, in their order.
        var answers: [String] = []
        var refusals: [String] = []
    }

    /// - Confinement: any
    fileprivate final class Board: Sendable {
        private let seen = Mutex(Seen())

        var now: Seen { seen.withLock { $0 } }

        func change(_ change: (inout Seen) -> Void) { seen.withLock { change(&$0) } }
    }

    let name: String
    let mail = Mailboxes(loops: 1, readers: 0, reachesOutside: false, hasIssuers: false, isMember: true)
    let standing = NodeStanding()
    let storage = StorageHealth()
    let metrics = Metrics(peerMemory: PeerMemory(bytesMax: 1 << 20))
    private let jobs = Mailbox<String>()
    private let board = Board()
    private let cluster: LoopThread
    private let writer: LoopThread

    init(_ name: String, _ options: JournalOptions, secret: String = "s", address: String = "") throws {
        self.name = name
        let start = NodeStart(
            name: name, address: address, fingerprint: secret, keys: JournalKeys([Array(secret.utf8)]),
            run: .random(in: 1...1 << 40), place: nil, schema: JournalSeal.schema, head: 0, program: "test",
            mayLead: true)
        writer = try LoopThread.start(named: "w-\(name)") { @Sendable [mail, jobs, board] loop in
            let side = WriterSide(name, mail, board)
            try mail.writer.open(taking: { side.take(&$0) }, on: loop)
            try mail.loops[0].open(taking: { side.take(&$0) }, on: loop)
            try jobs.open(taking: { side.take(&$0) }, on: loop)
        }
        cluster = try LoopThread.start(named: "c-\(name)", on: nil) { [mail, metrics, standing, storage] loop in
            let surroundings = ClusterSurroundings(
                mail: mail, clock: .system, metrics: metrics, standing: standing, storage: storage,
                log: ServerLog(minimum: .silent),
                on: loop)
            let thread = try ClusterThread(start, in: surroundings) { events in
                try JournalClient(on: loop, options, events)
            }
            try mail.cluster?.open(
                taking: { batch in
                    let isOver = thread.receive(batch)
                    batch.removeAll(keepingCapacity: true)
                    if isOver { loop.stop() }
                }, on: loop)
        }.thread
    }

    var now: Seen { board.now }

    func write(_ text: String) { jobs.post(text) }

    /// Ends the threads.
    func stop() {
        mail.cluster?.post(.stop)
        cluster.join()
        writer.stop()
        writer.join()
    }
}

/// - Confinement: the writer's thread of a test
private final class WriterSide {
    private struct Order {
        let text: String
        var origin: HandedOrigin?
        var ticket: UInt64 = 0
    }

    private let name: String
    private let mail: Mailboxes
    private let board: NodeUnderTest.Board
    private var place = JournalPlace(sequence: 0, term: 0)
    private var term: UInt64?
    private var waiting: [Order] = []
    private var nextTicket = UInt64(WallClock.system.now().milliseconds) << 16
    /// A batch whose outcome is not known, and the entry before it.
    private var doubt: (orders: [Order], term: UInt64, after: UInt64)?
    /// Its own writes that came after that batch: they are handed on after it.
    private var held: [Order] = []

    init(_ name: String, _ mail: Mailboxes, _ board: NodeUnderTest.Board) {
        self.name = name
        self.mail = mail
        self.board = board
    }

    private func note(_ change: (inout NodeUnderTest.Seen) -> Void) { board.change(change) }

    func take(_ texts: inout [String]) {
        let orders = texts.map { Order(text: $0) }
        texts.removeAll()
        work(orders)
    }

    func take(_ messages: inout [LoopMessage]) {
        for case .handed(let commands, let node, let term) in messages {
            work(
                commands.compactMap { command in
                    guard case .command(let text) = command.work else { return nil }
                    let origin = HandedOrigin(node: node, ticket: command.ticket, term: term)
                    return Order(text: String(decoding: text.text, as: UTF8.self), origin: origin)
                })
        }
        messages.removeAll()
    }

    func take(_ messages: inout [WriterMessage]) {
        for message in messages {
            switch message {
            case .lead(let place):
                term = place.term
                moved(to: place)
                let orders = (doubt?.orders ?? []).filter { $0.origin == nil } + waiting + held
                (waiting, doubt, held) = ([], nil, [])
                work(orders)
            case .follow: follow()
            case .apply(let entry, let place): apply(entry, place)
            case .unwritten(let answers):
                for answer in answers { end(answer.ticket) { $0.refusals.append("\(answer.outcome)") } }
            default: break
            }
        }
        messages.removeAll()
    }

    private func moved(to place: JournalPlace) {
        self.place = place
        note { [term] seen in
            seen.place = place
            seen.leads = term != nil
        }
        mail.cluster?.post(.applied(place, schema: JournalSeal.schema))
    }

    private func follow() {
        term = nil
        note { $0.leads = false }
    }

    private func end(_ ticket: UInt64, _ change: (inout NodeUnderTest.Seen) -> Void) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiting.remove(at: index)
        note(change)
    }

    /// Commits, or hands on.
    private func work(_ orders: [Order]) {
        guard !orders.isEmpty else { return }
        guard doubt == nil else { return held += orders.filter { $0.origin == nil } }
        guard let term else { return hand(orders) }
        let valid = orders.filter { $0.origin.map { $0.term == term } ?? true }
        let refused = valid.filter { $0.text.hasPrefix("refuse") }
        let written = valid.filter { !$0.text.hasPrefix("refuse") }
        if !written.isEmpty {
            guard commit(written, term) else { return hand(refused) }
        }
        for order in refused {
            let outcome = Outcome.failure(.init(.forbidden, order.text))
            guard let origin = order.origin else {
                note { $0.refusals.append("\(outcome)") }
                continue
            }
            mail.cluster?.post(.answer(origin, after: place.sequence, outcome))
        }
    }

    private func hand(_ orders: [Order]) {
        var commands: [HandedCommand] = []
        for var order in orders where order.origin == nil {
            order.ticket = nextTicket
            nextTicket += 1
            waiting.append(order)
            let text = HandedText(Array(order.text.utf8), device: nil, deviceLanguage: nil)
            commands.append(
                HandedCommand(ticket: order.ticket, actor: .server, at: WallClock.system.now(), work: .command(text)))
        }
        if !commands.isEmpty { mail.cluster?.post(.hand(commands)) }
    }

    private func commit(_ orders: [Order], _ term: UInt64) -> Bool {
        var statements = StatementRecord()
        let number = statements.addStatement("INSERT")
        for order in orders {
            statements.begin(number, arguments: 1)
            statements.add(text: order.text)
            statements.end(rows: 1)
        }
        let record = CommitRecord(
            before: Position(0), head: Position(0), statements: statements, steps: [],
            stepCounts: orders.map { _ in 0 },
            webhooks: .init(), pushes: .init())
        let replies = orders.compactMap { order in
            order.origin.map { JournalReply(node: $0.node, ticket: $0.ticket, stepCount: 0, outcome: .answer([])) }
        }
        let writer = EntryWriter(JournalEntry.Author(term: term, node: name, schema: JournalSeal.schema))
        guard let parts = try? writer.commit(record, at: WallClock.system.now(), replies: replies) else { return false }
        let wait = CommitWait()
        guard mail.cluster?.post(.order(parts.map { EncodedEntry(message: $0) }, wait)) == true else { return false }
        switch wait.wait() {
        case .stored(let place):
            committed(orders)
            moved(to: place)
            return true
        case .fenced:
            follow()
            hand(orders)
        case .unknown:
            follow()
            doubt = (orders, term, place.sequence)
        case .tooLarge: break
        }
        return false
    }

    private func committed(_ orders: [Order]) {
        note { seen in
            seen.log += orders.map(\.text)
            seen.answers += orders.filter { $0.origin == nil }.map(\.text)
        }
    }

    private func apply(_ entry: JournalEntry, _ place: JournalPlace) {
        defer { moved(to: place) }
        var isOwn = false
        if let batch = doubt, place.sequence > batch.after {
            doubt = nil
            if case .commit = entry.content { isOwn = entry.author.node == name && entry.author.term == batch.term }
            isOwn ? committed(batch.orders) : hand(batch.orders)
            hand(held)
            held = []
        }
        guard !isOwn, case .commit(let commit) = entry.content else { return }
        let texts = commit.statements.arguments.compactMap { argument -> String? in
            guard case .text(let range) = argument else { return nil }
            return String(decoding: commit.statements.bytes[range], as: UTF8.self)
        }
        note { $0.log += texts }
        for reply in commit.replies where reply.node == name {
            guard let text = waiting.first(where: { $0.ticket == reply.ticket })?.text else { continue }
            end(reply.ticket) { $0.answers.append(text) }
        }
    }
}
