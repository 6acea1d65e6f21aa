import EventLoop
import JournalLink
import Synchronization

/// The yardstick of a cluster: a client that appends to a stream of its own on the same servers, and nothing else. It does
/// what a leading node does: one append under way, with everything that came while the one before was under way.
enum BareJournal {
    static let time = "arrival → acknowledged by the journal"
    /// The bytes of a chat message in an entry.
    static let bytesPerMessage = 350
    /// The bytes that the servers keep free for the stream.
    static let bytesMax: Int64 = 4 << 30
    /// The largest number of commands in an entry.
    static let batchMax = 500

    static func crew(_ addresses: [String], application: String, perSecond: Double) throws -> Crew {
        let board = ScoreBoard()
        var options = try JournalOptions(
            addresses: addresses.map { address throws(JournalFailure) in try JournalAddress(address) },
            application: application, name: "watchwise-load")
        options.connectMilliseconds = 3_000
        return try Crew.start(1, connections: 1, board: board) { [options] loop, _ in
            BareMember(on: loop, options, board: board, perSecond: perSecond)
        }
    }
}

/// - Confinement: loop
private final class BareMember: CrewMember {
    private static let triesMax = 20

    private let loop: Loop
    private let board: ScoreBoard
    private let options: JournalOptions
    private let perSecond: Double
    private var client: JournalClient?
    private var last: UInt64 = 0
    private var timer: PreciseTimer?
    private var arrivals: Arrivals?
    private var waiting: [ContinuousClock.Instant] = []
    private var isUnderWay = false
    private var isSending = false
    private var hasAsked = false
    private var tries = 0
    private var measured = Latencies()

    init(on loop: Loop, _ options: JournalOptions, board: ScoreBoard, perSecond: Double) {
        self.loop = loop
        self.options = options
        self.board = board
        self.perSecond = perSecond
    }

    func connect() {
        do {
            client = try JournalClient(on: loop, options) { [unowned self] event in
                switch event {
                case .connected: prepare()
                case .disconnected(let reason): if hasAsked { board.fail("the journal: \(reason)") }
                case .unfit(let sentence), .trouble(let sentence): board.fail("the journal: \(sentence)")
                }
            }
        } catch {
            board.fail("the journal: \(error)")
        }
    }

    func begin() {
        isSending = true
        do {
            timer = try PreciseTimer(on: loop) { [unowned self] in keepPace() }
            keepPace()
        } catch {
            board.fail("the timer of the appends: \(error)")
        }
    }

    func measure() { measured.forget() }

    func finish() {
        isSending = false
        timer?.close()
        timer = nil
    }

    func close() {
        finish()
        board.add(measured, as: BareJournal.time)
        client?.close()
        client = nil
    }

    private func prepare() {
        guard !hasAsked else { return }
        hasAsked = true
        var settings = StreamSettings()
        settings.bytesMax = BareJournal.bytesMax
        client?.checkStream(settings, makes: true) { [unowned self] result in
            switch result {
            case .success(let report):
                last = report.state.last
                board.connected.add(1, ordering: .relaxed)
                board.readyLoops.add(1, ordering: .relaxed)
            case .failure(let failure):
                // Servers that have just started need some seconds to find a leader.
                tries += 1
                guard tries < Self.triesMax else { return board.fail("the bare journal's stream: \(failure)") }
                hasAsked = false
                prepare()
            }
        }
    }

    private func keepPace() {
        guard isSending else { return }
        let now = ContinuousClock.now
        if arrivals == nil { arrivals = Arrivals(perSecond: perSecond, begin: now) }
        while let intended = arrivals?.next(at: now) {
            waiting.append(intended)
            board.owed.add(1, ordering: .relaxed)
        }
        appendNext()
        if let due = arrivals?.due { timer?.start(after: due - .now) }
    }

    private func appendNext() {
        guard !isUnderWay, !waiting.isEmpty else { return }
        isUnderWay = true
        let batch = Array(waiting.prefix(BareJournal.batchMax))
        waiting.removeFirst(batch.count)
        let bytes = [UInt8](repeating: 0x77, count: BareJournal.bytesPerMessage * batch.count)
        client?.append(bytes, after: last, timeoutMilliseconds: 5_000) { [unowned self] outcome in
            guard case .appended(let sequence) = outcome else { return board.fail("a bare append: \(outcome)") }
            isUnderWay = false
            last = sequence
            let now = ContinuousClock.now
            for arrival in batch { measured.record(now - arrival) }
            board.count.add(batch.count, ordering: .relaxed)
            appendNext()
        }
    }
}

@available(*, unavailable)
extension BareMember: Sendable {}
