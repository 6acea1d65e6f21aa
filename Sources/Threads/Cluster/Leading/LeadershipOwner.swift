import EventLoop
import Journal
import JournalLink
import Model
import Telemetry
import ThreadMessages

/// The owner of a ``/Journal/Leadership``: it performs the tasks on the journal and the writer, in their order, and gives
/// the machine what happens. See the page "Leading" of `Journal`.
///
/// - Confinement: loop
final class LeadershipOwner {
    let surroundings: ClusterSurroundings
    let start: NodeStart
    let journal: SealedJournal
    unowned let events: any LeadershipEvents
    private(set) var leadership: Leadership
    let reading: JournalReading
    private var obstacles: Set<LeadingObstacle>
    /// Outcomes for earlier machines do not count: each numbers its publications from 1.
    private var generation = 0
    private var open: OpenOrder?
    /// When the writer's last wait for the journal ended, by ``/Telemetry/SteadyTime``.
    private var waitEndedAt: Int64 = 0
    /// The newest position of the database, as far as it is known here.
    var head: Int64
    private var link = JournalLinkState.unreachable
    private(set) var unreachableSince: Int64?
    private var isAsking = false
    private var isStreamMissing = false
    private var askAt: Int64 = 0
    private var waits: LeadershipWait?
    private var log: ServerLog { surroundings.log }
    private var now: Int64 { surroundings.loop.now }

    /// - Parameter events: Owns this object.
    init(
        _ start: NodeStart, in surroundings: ClusterSurroundings, journal: SealedJournal,
        tellingOf events: any LeadershipEvents
    ) {
        self.start = start
        self.surroundings = surroundings
        self.journal = journal
        self.events = events
        head = start.head
        obstacles = start.obstacles
        leadership = start.makeLeadership(
            at: start.place, author: start.author, schema: start.schema, obstacles, now: surroundings.loop.now)
        unreachableSince = surroundings.loop.now
        reading = JournalReading(journal)
    }

    /// Why it takes no part any more; nil while it does.
    private(set) var stop: LeadershipStop?

    // MARK: Inputs

    /// Gives the machine something that happened, and does what it demands.
    func give(_ input: LeadershipInput) {
        let tasks = leadership.take(input, at: now)
        for (index, task) in tasks.enumerated() {
            let next = tasks.dropFirst(index + 1).lazy.compactMap(\.outcomeOfRollBack).first
            perform(task, endingWith: next ?? .fenced)
        }
        guard leadership.waits != waits else { return }
        waits = leadership.waits
        if let waits { log.warning(waits.sentence, isChange: true) }
    }

    /// Time passes.
    func tick() {
        give(.tick)
        if leadership.role == .leading, isWriterStuck { hinder(.storage) }
        if now >= askAt { ask() }
    }

    /// Whether the writer stands in a commit, and not because of the journal: its disk neither answers nor fails. The next
    /// ``applied(_:schema:)`` shows that it goes on.
    private var isWriterStuck: Bool {
        guard open == nil, let milliseconds = surroundings.storage.commitMilliseconds else { return false }
        return milliseconds > ClusterLimits.commitMilliseconds
            && SteadyTime.now - waitEndedAt > ClusterLimits.commitMilliseconds
    }

    /// The writer has a transaction ready, and waits.
    func order(_ parts: [EncodedEntry], _ wait: CommitWait) {
        precondition(open == nil, "the writer orders one transaction at a time")
        let bytesMax = journal.messageBytesMax ?? .max
        if let large = parts.first(where: { $0.bytes.count > bytesMax }) {
            log.error(
                "the journal's server takes no entry of this size: set max_payload to 8MB there",
                ["bytes": "\(large.bytes.count)", "bytes.max": "\(bytesMax)"])
            return wait.fill(.tooLarge(bytesMax: bytesMax))
        }
        open = OpenOrder(parts, wait)
        give(.submit(parts))
    }

    /// The database has everything up to an entry.
    func applied(_ place: JournalPlace, schema: Int) {
        for obstacle in [LeadingObstacle.diskFull, .storage] where obstacles.contains(obstacle) { clear(obstacle) }
        give(.applied(place.sequence, schema: schema))
        reading.noteApplied(place.sequence)
    }

    /// Whether there is an obstacle now.
    func set(_ obstacle: LeadingObstacle, _ isThere: Bool) { isThere ? hinder(obstacle) : clear(obstacle) }

    /// The node may not lead.
    func hinder(_ obstacle: LeadingObstacle) {
        guard obstacles.insert(obstacle).inserted else { return }
        log.info("this node does not lead: \(obstacle.sentence)")
        give(.hindered(obstacle))
    }

    /// An obstacle is gone.
    func clear(_ obstacle: LeadingObstacle) {
        guard obstacles.remove(obstacle) != nil else { return }
        log.info("this node may lead again", ["obstacle": "\(obstacle)"])
        give(.cleared(obstacle))
    }

    /// The database failed: begin again at the place that the writer has.
    func restart(at place: JournalPlace?, isFull: Bool) {
        guard leadership.role != .stopped else { return }
        let led = leadership.role == .leading
        obstacles.insert(isFull ? .diskFull : .storage)
        generation += 1
        finish(.unknown)
        reading.stop()
        let author = place?.term == leadership.term ? leadership.author : nil
        leadership = start.makeLeadership(
            at: place, author: author, schema: leadership.schema, obstacles, now: now)
        if led {
            log.warning("this node no longer leads: its database failed", isChange: true)
            endLeading()
        }
        if link != .unreachable { give(.journal(link)) }
    }

    /// The way to the journal is another one.
    func note(_ state: JournalLinkState) {
        guard state != link else { return }
        if state == .withoutLeader { log.warning("the journal has no leader: writes wait", isChange: true) }
        if link == .withoutLeader, state == .reachable { log.info("the journal has a leader again") }
        link = state
        unreachableSince = state == .unreachable ? unreachableSince ?? now : nil
        give(.journal(state))
    }

    func close() {
        reading.stop()
        finish(.unknown)
    }

    // MARK: Tasks

    private func perform(_ task: LeadershipAction, endingWith outcome: CommitWait.Outcome) {
        switch task {
        case .publish(let number, let content, let expecting): publish(number, content, after: expecting)
        case .askLastSequence: ask()
        case .read: read()
        case .apply(let range): apply(range)
        case .commit(let sequence):
            head = max(head, open?.head ?? 0)
            finish(.stored(JournalPlace(sequence: sequence, term: leadership.term)))
            reading.stop()
        case .rollBack: finish(outcome)
        case .lead(let term, let sequence):
            let place = JournalPlace(sequence: sequence, term: term)
            log.warning("this node leads", ["term": "\(term)", "entry": "\(sequence)"], isChange: true)
            // Its own entries are acknowledged; another's makes the journal refuse.
            reading.stop()
            surroundings.mail.writer.post(.lead(place))
            events.leads(from: place)
        case .follow(let reason):
            log.warning(reason.sentence, isChange: true)
            endLeading()
            read()
        case .heartbeat(let term, let leads, let applied): events.beat(term: term, leads: leads, applied: applied)
        case .stop(let reason):
            stop = reason
            log.error("this node takes no part any more: \(reason.sentence)", isChange: true)
            reading.stop()
            endLeading()
        }
    }

    private func endLeading() {
        surroundings.mail.writer.post(.follow)
        events.followsAgain()
    }

    /// Ends the writer's wait, if it waits.
    private func finish(_ outcome: CommitWait.Outcome) {
        guard let order = open else { return }
        open = nil
        waitEndedAt = SteadyTime.now
        let metrics = surroundings.metrics.journal
        switch outcome {
        case .stored, .tooLarge: break
        case .fenced: metrics.fenced.add(1)
        case .unknown: metrics.unknown.add(1)
        }
        order.wait.fill(outcome)
    }

    private func publish(_ number: UInt64, _ content: PublishedContent, after expected: UInt64) {
        let bytes: [UInt8] =
            switch content {
            case .entry(let bytes): bytes
            case .lead(let term):
                EntryWriter(.init(term: term, node: start.node.name, schema: leadership.schema))
                    .lead(program: start.program)
            }
        let (generation, asked) = (generation, now)
        journal.append(
            bytes, after: expected, previous: leadership.place.newest,
            timeoutMilliseconds: ClusterLimits.appendMilliseconds
        ) { [weak self] outcome in
            guard let self else { return }
            if case .appended = outcome { events.proved(ago: now - asked) }
            published(number, outcome, generation: generation)
        }
    }

    private func published(_ number: UInt64, _ outcome: AppendOutcome, generation: Int) {
        note(outcome)
        guard generation == self.generation else { return }
        switch outcome {
        case .appended(let sequence): give(.acknowledged(number: number, sequence: sequence))
        case .refused(let last): give(.refused(number: number, last: last))
        case .noLeader, .notConnected, .unknown: give(.noAnswer(number: number))
        case .tooLarge, .rejected:
            log.error("the journal does not take an entry", ["error": outcome.description])
            give(.noAnswer(number: number))
        }
    }

    /// Whether the journal has a leader, as an answer shows it.
    private func note(_ outcome: AppendOutcome) {
        guard link != .unreachable else { return }
        switch outcome {
        case .appended, .refused: note(.reachable)
        case .noLeader: note(.withoutLeader)
        case .notConnected, .tooLarge, .rejected, .unknown: break
        }
    }

    /// The stream is gone. The node waits: it goes on when the stream is there again and begins after its newest entry.
    private func noteMissingStream() {
        guard !isStreamMissing else { return }
        isStreamMissing = true
        log.error(
            "the journal is gone: its servers have no stream for this application, and this node has entry "
                + "\(leadership.applied): run 'watchwise cluster reseed' with the node that is furthest",
            isChange: true)
    }

    private func ask() {
        askAt = now + ClusterLimits.askMilliseconds
        guard !isAsking, link != .unreachable else { return }
        isAsking = true
        let (generation, asked) = (generation, now)
        journal.askBounds { [weak self] result in
            guard let self else { return }
            isAsking = false
            switch result {
            case .success(let bounds):
                isStreamMissing = false
                if link == .withoutLeader { note(.reachable) }
                // An answer may wait, too: for this process, which stood still, or in a link that was cut.
                events.foundEnd(of: bounds.last, ago: bounds.majorityAgeMilliseconds.map { $0 + now - asked })
                if generation == self.generation { give(.lastSequence(bounds.last, first: bounds.first)) }
            case .failure(.noLeader): if link == .reachable { note(.withoutLeader) }
            case .failure(.refused(code: 10059, _)): noteMissingStream()
            case .failure(.refused(let code, let reason)):
                log.error("the journal does not say where it ends", ["error": "\(reason) (\(code))"])
            case .failure(let failure): log.debug("the journal did not say where it ends", ["error": "\(failure)"])
            }
        }
    }
}

@available(*, unavailable)
extension LeadershipOwner: Sendable {}
