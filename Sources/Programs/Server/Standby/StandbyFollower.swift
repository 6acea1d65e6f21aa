import EventLoop
import Journal
import Model
import Telemetry
import ThreadMessages

/// Follows a primary: asks it for its newest entries again and again, and gives them to the writer.
///
/// - Confinement: loop
final class StandbyFollower: StandbyRole {
    private static let tickMilliseconds: Int64 = 20
    private static let retryMilliseconds: Int64 = 500
    /// Entries that may wait for the database.
    private static let waitingMax: UInt64 = 5000

    private let surroundings: StandbySurroundings
    private let calls: PrimaryCalls
    private let takeover: StandbyTakeover
    private var question: StandbyQuestion
    private var reader = EntryReader()
    private var timer: LoopTimer?
    private var facts: StandbyFacts
    /// Whether the primary has said that nothing comes after the entries that were read.
    private var isEnded = false
    private var isAsking = false
    private var nextAskAt: Int64 = 0
    private var heardAt: Int64?
    /// When the database last had everything.
    private var wholeAt: Int64
    /// Why the server must start again; nil when it need not.
    private var rejoins: String?

    init(_ opened: OpenedDatabase, of calls: PrimaryCalls, address: String?, in surroundings: StandbySurroundings) {
        self.surroundings = surroundings
        self.calls = calls
        takeover = StandbyTakeover(calls, surroundings)
        facts = surroundings.board.facts
        let place = opened.place ?? JournalPlace(sequence: 0, term: 0)
        question = StandbyQuestion(place: place, schema: opened.schema)
        question.epoch = opened.epoch.text
        question.address = address
        question.hasEnd = surroundings.folder.has(.end)
        (facts.applied, facts.last) = (place.sequence, place.sequence)
        wholeAt = surroundings.loop.now
        timer = LoopTimer(on: surroundings.loop) { [unowned self] in tick() }
        timer?.start(afterMilliseconds: 1, repeatingMilliseconds: Self.tickMilliseconds)
        report()
    }

    func take(_ message: ClusterMessage) {
        switch message {
        case .order(_, let wait): wait.fill(.fenced)
        case .applied(let place, _):
            facts.applied = max(facts.applied, place.sequence)
            noteEnd()
        case .diverged(let sentence):
            surroundings.metrics.journal.diverged.add(1)
            rejoins = "its database is not its primary's, so it fetches another one: \(sentence)"
        case .unfit(let sentence): stop(sentence)
        case .hand(let commands):
            surroundings.refuse(
                commands, "this server is the standby of \(calls.address), and takes no writes: send them there")
        case .promote(let isForced): takeover.begin(isForced: isForced, state)
        case .databaseFailed, .digested, .forget, .answer, .signal, .stepDown, .prepareToStop, .stop: break
        }
        goOn()
    }

    func close() {
        timer?.close()
        timer = nil
        calls.close()
    }

    private func tick() {
        if nextAskAt <= surroundings.loop.now { ask() }
        goOn()
    }

    /// Takes the primary's place, if that is due, and shows how this server stands.
    private func goOn() {
        if rejoins == nil { rejoins = takeover.end(state) }
        report()
    }

    private var read: UInt64 { question.place?.sequence ?? 0 }
    private var isStopped: Bool { facts.role == .stopped || rejoins != nil }

    private var state: StandbyTakeover.State {
        StandbyTakeover.State(
            facts: facts, read: read, isEnded: isEnded, hasEnd: question.hasEnd, lastEntryAt: lastEntryAt)
    }

    /// When the primary committed the newest entry that was read in this run.
    private var lastEntryAt: Timestamp?

    // MARK: Reading

    private func ask() {
        guard !isAsking, !isStopped, read - min(read, facts.applied) < Self.waitingMax else { return }
        isAsking = true
        calls.ask(question) { [unowned self] answer in
            isAsking = false
            guard !isStopped else { return }
            take(answer)
            goOn()
        }
    }

    private func take(_ answer: PrimaryCalls.Answer) {
        // The end of a primary that answers otherwise, or not, is old: it may have gone on since.
        isEnded = false
        switch answer {
        case .page(let page):
            if heardAt == nil || facts.problem != nil {
                surroundings.log.info("this standby follows its primary", ["after": "\(read)", "last": "\(page.last)"])
            }
            facts.problem = nil
            heardAt = surroundings.loop.now
            do {
                try take(page)
            } catch {
                stop("an entry of the primary cannot be read: \(error)")
            }
            if !page.entries.isEmpty { ask() }
        case .gone:
            rejoins = "the primary no longer remembers what this standby lacks: it fetches a new copy"
        case .foreign(let sentence): stop(sentence)
        case .refused(let reason), .failed(let reason):
            nextAskAt = surroundings.loop.now + Self.retryMilliseconds
            if facts.problem == nil {
                surroundings.log.warning("the primary does not answer", ["reason": reason], isChange: true)
            }
            facts.problem = reason
        }
    }

    private func take(_ page: StandbyPage) throws {
        if question.hasEnd, !page.isEnded || !page.entries.isEmpty {
            // The primary goes on.
            try surroundings.folder.remove(.end)
            question.hasEnd = false
        }
        for entry in page.entries {
            var whole: JournalEntry?
            for part in entry.parts { whole = try reader.receive(part) }
            guard let whole else { throw JournalProblem.truncated(field: "parts") }
            if case .commit(let commit) = whole.content { lastEntryAt = commit.at }
            surroundings.mail.writer.post(.apply(whole, at: entry.place))
            question.place = entry.place
        }
        facts.last = page.last
        isEnded = page.isEnded && read == page.last
        noteEnd()
    }

    /// Notes on the disk that it has everything, when the primary has said that nothing more comes.
    private func noteEnd() {
        guard isEnded, !question.hasEnd, facts.applied >= facts.last else { return }
        do {
            let now = surroundings.clock.now().text
            try surroundings.folder.put(
                .end, "the primary has ended its writes, and this standby had all of them at \(now)")
            question.hasEnd = true
        } catch {
            surroundings.log.warning("the primary's end cannot be noted", ["error": "\(error)"])
        }
    }

    private func stop(_ sentence: String) {
        facts.role = .stopped
        facts.problem = sentence
        surroundings.log.error("this standby follows its primary no more", ["reason": sentence], isChange: true)
    }

    private func report() {
        let now = surroundings.loop.now
        if facts.applied >= facts.last, let heardAt, now - heardAt < 1000 { wholeAt = now }
        facts.lagMilliseconds = now - wholeAt
        facts.silentMilliseconds = heardAt.map { now - $0 }
        surroundings.board.show(facts)
        var standing = NodeStanding.Facts()
        standing.role = isStopped ? .stopped : .following
        standing.term = question.place?.term ?? 0
        (standing.applied, standing.last) = (facts.applied, facts.last)
        standing.lagMilliseconds = facts.lagMilliseconds
        standing.primary = calls.address
        standing.rejoins = rejoins
        surroundings.show(standing)
    }
}

@available(*, unavailable)
extension StandbyFollower: Sendable {}
