import Model
import Push
import Store

/// One device for which a job is to be decided and sent now.
///
/// - Confinement: any
struct PushAim: Sendable, Hashable {
    let job: PushJobEntry
    let device: PushDeviceEntry
    /// Of this try: 1, 2, 3 …
    let number: Int
    let variant: PushVariant

    var key: PushTryKey { PushTryKey(job: job.id, device: device.id) }
}

/// The name of a try.
///
/// - Confinement: any
struct PushTryKey: Sendable, Hashable {
    let job: Int64
    let device: Int64
}

/// A page of a job, or some tries that are due again, from the first question to the results. A value without input and
/// output: its owner asks, decides and sends, and reports each step.
///
/// Each aim ends in exactly one result, and the errand is over when all have one.
///
/// - Confinement: any
struct PushErrand: Sendable {
    /// The page of a job.
    ///
    /// - Confinement: any
    struct Page: Sendable, Hashable {
        let job: PushJobEntry
        let upTo: StreamID
        let isLast: Bool
    }

    /// The next step of the owner.
    ///
    /// - Confinement: any
    enum Stage: Sendable, Hashable {
        /// Ask the loops which of ``PushErrand/undecided`` are looking.
        case toAsk
        case asked(question: Int64)
        /// Somebody is connected and may still acknowledge: ask again after this time.
        case holding(until: Timestamp)
        /// Every user is decided.
        case decided
    }

    /// Nil for tries that are due again.
    let page: Page?
    private let holdUntil: Timestamp
    private(set) var stage = Stage.toAsk
    /// The users who are not decided yet, with their aims.
    private var aims: [StreamID: [PushAim]]
    /// The names of all its tries, for as long as it runs.
    let keys: Set<PushTryKey>
    private var left: Int
    /// The newest message that a job about a chat decides about in this page.
    private(set) var judged: MessageNumber?
    private(set) var settlement = PushSettlement()
    private var counts = (pushed: 0, skipped: 0, failed: 0)

    /// A page of a job.
    ///
    /// - Parameter holdUntil: Until then users who are connected are waited for.
    init(_ page: Page, _ devices: [PushDeviceEntry], holdUntil: Timestamp) {
        self.page = page
        self.holdUntil = holdUntil
        judged = page.job.judged
        let aims = devices.map { PushAim(job: page.job, device: $0, number: 1, variant: .usual) }
        self.aims = Dictionary(grouping: aims) { $0.device.user }
        left = aims.count
        keys = Set(aims.map(\.key))
        if aims.isEmpty { stage = .decided }
    }

    /// Tries that are due again, of any jobs.
    init(tries aims: [PushAim]) {
        page = nil
        holdUntil = Timestamp(milliseconds: .min)
        self.aims = Dictionary(grouping: aims) { $0.device.user }
        left = aims.count
        keys = Set(aims.map(\.key))
        if aims.isEmpty { stage = .decided }
    }

    /// Tries that are due again, as the database has them. Those whose job or device is gone are left out.
    init(due: some Collection<PushTryEntry>, in transaction: Transaction) throws {
        var jobs: [Int64: PushJobEntry] = [:]
        var aims: [PushAim] = []
        for entry in due {
            let job = try jobs[entry.job] ?? transaction.pushJobs.job(entry.job)
            guard let job, let device = try transaction.pushDevices.find(entry.device) else { continue }
            jobs[job.id] = job
            aims.append(
                PushAim(
                    job: job, device: device, number: Int(entry.attempts) + 1,
                    variant: entry.variant.flatMap(PushVariant.init) ?? .usual))
        }
        self.init(tries: aims)
    }

    var undecided: Set<StreamID> { Set(aims.keys) }
    var isOver: Bool { left == 0 }

    func aims(of user: StreamID) -> [PushAim] { aims[user] ?? [] }

    mutating func asked(_ question: Int64) { stage = .asked(question: question) }

    /// The loops have answered.
    ///
    /// - Returns: the users to decide now. The others are connected, and the hold is not over.
    mutating func take(_ answer: PushQuestions.Answer, at now: Timestamp) -> [StreamID] {
        guard stage == .asked(question: answer.question) else { return [] }
        let users = aims.keys.sorted()
        let held = now < holdUntil ? users.filter { answer.sessions[$0] != nil } : []
        stage = held.isEmpty ? .decided : .holding(until: holdUntil)
        return held.isEmpty ? users : users.filter { answer.sessions[$0] == nil }
    }

    /// The hold is over.
    mutating func endHold() {
        if case .holding = stage { stage = .toAsk }
    }

    /// The number up to which this page decides about messages; the first call sets it for the whole page.
    ///
    /// - Parameter newest: The newest message of the chat. While somebody is held, only the first message of the job
    ///   counts, because its hold ends first; a job of their own follows for the others.
    mutating func judge(upTo newest: MessageNumber) -> MessageNumber? {
        guard let job = page?.job, let first = job.chatFrom else { return nil }
        if judged == nil {
            if case .holding = stage { judged = first } else { judged = max(first, newest) }
        }
        return judged
    }

    /// The user is decided, and the owner has all aims of the user.
    mutating func decided(_ user: StreamID) { aims[user] = nil }
}

// MARK: - Results

extension PushErrand {
    /// An aim ends without a request.
    mutating func skip(_ aim: PushAim, _ reason: PushSkip, at now: Timestamp) {
        end(aim, .skipped, reason.rawValue, at: now)
    }

    /// An aim is for later: quiet hours end, a service goes on.
    mutating func postpone(_ aim: PushAim, until: Timestamp, reason: String, at now: Timestamp) {
        let outcome: PushSettlement.Try.Outcome =
            until < aim.job.ends ? .again(at: until, variant: aim.variant.rawValue) : .expired
        end(aim, outcome, reason, at: now)
    }

    /// An aim has an end.
    ///
    /// - Parameter gone: The rows of removed entries that the push named.
    mutating func end(_ aim: PushAim, _ result: PushEnd, gone: PushGoneRows, at now: Timestamp) {
        switch result {
        case .postponed(let until, let reason): postpone(aim, until: until, reason: reason, at: now)
        case .unsendable(let reason):
            end(aim, .dropped, reason, at: now)
            settlement.devices.append(PushSettlement.DeviceChange(aim.device, .failed(problem: nil, at: now)))
        case .judged(let verdict, let tags, let note):
            let outcome = PushSettlement.Try.Outcome(verdict.outcome)
            end(aim, outcome, verdict.line(with: note), status: verdict.status, at: now)
            settlement.devices += verdict.changes(of: aim.device, at: now)
            guard verdict.outcome == .sent else { return }
            let rows = gone.rows(namedBy: tags)
            if !rows.isEmpty { settlement.told.append(PushSettlement.Told(device: aim.device.id, rows: rows)) }
        }
    }

    private mutating func end(
        _ aim: PushAim, _ outcome: PushSettlement.Try.Outcome, _ answer: String, status: Int? = nil, at now: Timestamp
    ) {
        left -= 1
        switch outcome {
        case .sent: counts.pushed += 1
        case .skipped: counts.skipped += 1
        case .dropped, .dead, .expired: counts.failed += 1
        case .again: break
        }
        settlement.tries.append(
            PushSettlement.Try(
                job: aim.job.id, device: aim.device.id, number: Int64(aim.number), at: now, status: status,
                answer: answer, outcome))
    }

    /// Everything to be noted, when the errand is over.
    var whole: PushSettlement {
        var settlement = settlement
        guard let page else { return settlement }
        var progress = PushSettlement.Progress(page.job, to: page.upTo, isEnded: page.isLast)
        (progress.pushed, progress.skipped, progress.failed) = counts
        progress.judged = judged
        let job = page.job
        let settled = job.pushed + job.skipped + job.failed + Int64(settlement.tries.count)
        progress.isLarge = job.isLarge || settled > PushLimits.triesKeptMax
        if progress.isLarge {
            settlement.tries.removeAll { $0.outcome == .sent || $0.outcome == .skipped }
        }
        settlement.progress = [progress]
        return settlement
    }
}

extension PushSettlement {
    /// A notification of a topic is taken back: each device of a page gets a row that says so.
    init(withdrawing page: PushErrand.Page, from devices: [PushDeviceEntry]) {
        var progress = Progress(page.job, to: page.upTo, isEnded: page.isLast)
        progress.gone = devices.map(\.id)
        self.init()
        self.progress = [progress]
    }
}

extension PushSettlement.Try.Outcome {
    init(_ outcome: PushVerdict.Outcome) {
        switch outcome {
        case .sent: self = .sent
        case .again(let time, let variant): self = .again(at: time, variant: variant.rawValue)
        case .dropped: self = .dropped
        case .dead: self = .dead
        case .expired: self = .expired
        }
    }
}

extension PushVerdict {
    /// The answer for lists, with what is known of the request besides.
    func line(with note: String) -> String { note.isEmpty ? line : "\(line), \(note)" }

    /// The consequences for the device. A push that is tried again is not a failure of the device yet.
    func changes(of entry: PushDeviceEntry, at now: Timestamp) -> [PushSettlement.DeviceChange] {
        var effects: [PushSettlement.DeviceChange.Effect] = []
        switch device {
        case .removed(let reason): effects.append(.removed(reason: reason))
        case .problem(let problem): effects.append(.failed(problem: problem.stored, at: now))
        case .corrected(let environment): effects.append(.corrected(environment))
        case .kept, .waits:
            if outcome == .expired || outcome == .dead { effects.append(.failed(problem: nil, at: now)) }
        }
        if outcome == .sent { effects.append(.sent(at: now)) }
        return effects.map { PushSettlement.DeviceChange(entry, $0) }
    }
}
