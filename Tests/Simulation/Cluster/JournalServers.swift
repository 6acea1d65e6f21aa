import EventLoop
import SimulatedKernel

/// The simulated servers of the journal: entries in order, a leader of their own that comes and goes, and the ways to
/// the nodes, which delay, lose and double messages as the seed decides.
/// - Confinement: the one thread
final class JournalServers {
    /// A thing that the servers do at a time.
    private struct Deed {
        let at: Int64
        let number: Int
        let run: () -> Void
    }

    /// Entries that no change of the leader removes; the first one has the number 1.
    private(set) var entries: [[UInt8]] = [] {
        didSet {
            storedAt.removeLast(max(0, storedAt.count - entries.count))
            while storedAt.count < entries.count { storedAt.append(sim_now()) }
        }
    }
    /// When each of them was stored.
    private(set) var storedAt: [Int64] = []
    /// The oldest entry that can be read.
    private(set) var first = 1
    /// Entries that the leader has given a place, and most servers do not have yet.
    private var uncertain: [(bytes: [UInt8], answer: (UInt64?) -> Void)] = []
    private(set) var hasLeader = true
    private(set) var ways: [JournalWay] = []
    let mistake: Mistake?
    private let stranger = Stranger()
    private let kind: ClusterKind
    /// Two servers that do not hear each other, by their places; all reach the third one.
    private var deaf: (Int, Int)?
    /// Whether faults are over.
    private var isCalm = false
    private var deeds: [Deed] = []
    private var nextDeed = 0
    private var timer: LoopTimer?

    /// - Parameter loop: One that no node ends.
    init(on loop: Loop, _ kind: ClusterKind, mistake: Mistake?) {
        self.kind = kind
        self.mistake = mistake
        timer = LoopTimer(on: loop) { [unowned self] in runDue() }
    }

    func close() {
        timer?.close()
        timer = nil
    }

    /// How long a message is on its way.
    func delay() -> Int64 { isCalm ? 1 : Int64(Dice.below(kind.delayMax + 1)) }

    /// Whether something happens to a message that is not kept.
    func isUnlucky() -> Bool { !isCalm && Dice.once(in: kind.lossOdds) }

    /// How much longer an unlucky message is on its way.
    func lateness() -> Int64 { Int64(Dice.below(kind.lateMax)) }

    func calmDown() {
        (isCalm, deaf) = (true, nil)
        for way in ways { way.mend() }
        if !hasLeader { elect() }
    }

    // MARK: The ways of nodes

    func add(_ way: JournalWay) { ways.append(way) }

    func remove(_ way: JournalWay) { ways.removeAll { $0 === way } }

    /// Gives a message that is not kept to all nodes that listen.
    ///
    /// - Parameter place: the server to which it came.
    func spread(_ bytes: [UInt8], to rest: String, from place: Int) {
        stranger.hear(bytes, rest)
        for way in ways where !areDeaf(place, way.place) { way.hear(bytes, rest) }
    }

    private func areDeaf(_ one: Int, _ other: Int) -> Bool {
        deaf.map { $0 == (one, other) || $0 == (other, one) } ?? false
    }

    /// Two servers hear nothing of each other for a while.
    func deafen(milliseconds: Int64) {
        guard deaf == nil, !isCalm else { return }
        let one = Dice.below(3)
        deaf = (one, (one + 1) % 3)
        at(sim_now() + milliseconds) { [unowned self] in deaf = nil }
    }

    /// Somebody without the secret of the cluster sends messages of every kind.
    func actAsStranger() {
        for _ in 0..<1 + Dice.below(4) {
            if hasLeader, Dice.once(in: 2) {
                let last = UInt64(entries.count + uncertain.count)
                uncertain.append((stranger.entry(after: last, among: entries), { _ in }))
                at(sim_now() + delay()) { [unowned self] in makeCertain(1) }
            } else if let (bytes, subject) = stranger.signal() {
                for way in ways { way.hear(bytes, subject) }
            }
        }
    }

    // MARK: Appending

    /// The leader's word on an entry.
    enum Answer {
        case place(UInt64)
        case refused(last: UInt64)
        case noLeader
    }

    /// Takes an entry that has come to the servers.
    ///
    /// - Parameter answer: Called when most servers have it; never if the leader goes before.
    func append(_ bytes: [UInt8], after expected: UInt64, _ answer: @escaping (Answer) -> Void) {
        guard hasLeader else { return answer(.noLeader) }
        let last = UInt64(entries.count + uncertain.count)
        let isBlind =
            mistake == .forgetExpectation || (mistake == .leadUnread && JournalWay.isLead(bytes))
        guard expected == last || isBlind else { return answer(.refused(last: last)) }
        // An entry at another place than it was signed for is passed over, so the mistake signs it again.
        let placed = expected == last ? bytes : stranger.moved(bytes, from: expected + 1, after: last)
        uncertain.append((placed, { place in if let place { answer(.place(place)) } }))
        if mistake == .applyTwice, !JournalWay.isLead(bytes), Dice.once(in: 4) {
            uncertain.append((stranger.moved(placed, from: last + 1, after: last + 1), { _ in }))
        }
        at(sim_now() + delay()) { [unowned self] in makeCertain(1) }
    }

    private func makeCertain(_ count: Int) {
        guard hasLeader else { return }
        for entry in uncertain.prefix(mistake == .applyTwice ? uncertain.count : count) {
            entries.append(entry.bytes)
            entry.answer(UInt64(entries.count))
        }
        uncertain.removeFirst(min(mistake == .applyTwice ? uncertain.count : count, uncertain.count))
        for way in ways { way.readOn() }
    }

    /// The leader is gone: some of the uncertain entries stay, others vanish, and nobody gets an answer.
    func loseLeader(milliseconds: Int64) {
        guard hasLeader else { return }
        hasLeader = false
        let kept = Dice.below(uncertain.count + 1)
        entries += uncertain.prefix(kept).map(\.bytes)
        uncertain = []
        at(sim_now() + milliseconds) { [unowned self] in elect() }
    }

    private func elect() {
        guard !hasLeader else { return }
        hasLeader = true
        for way in ways { way.readOn() }
    }

    // MARK: Entries that are gone

    /// Old entries, up to this one, can be read no more.
    func forget(upTo last: Int64) {
        guard last >= first, last < entries.count else { return }
        first = Int(last) + 1
        for way in ways { way.readOn() }
    }

    /// The servers lose their newest entries, of which nodes know.
    ///
    /// - Returns: these entries.
    func lose(_ count: Int) -> [[UInt8]] {
        let lost = Array(entries.suffix(min(count, entries.count - first)))
        entries.removeLast(lost.count)
        uncertain = []
        return lost
    }

    /// An operator has brought lost entries back.
    func restore(_ lost: [[UInt8]]) {
        entries += lost
        for way in ways { way.readOn() }
    }

    // MARK: Time

    /// Does something on the servers at a time.
    func at(_ time: Int64, _ run: @escaping () -> Void) {
        nextDeed += 1
        deeds.append(Deed(at: time, number: nextDeed, run: run))
        start()
    }

    private func runDue() {
        let due = deeds.filter { $0.at <= sim_now() }.sorted { ($0.at, $0.number) < ($1.at, $1.number) }
        deeds.removeAll { $0.at <= sim_now() }
        for deed in due { deed.run() }
        start()
    }

    private func start() {
        guard let first = deeds.map(\.at).min() else { return }
        timer?.start(afterMilliseconds: max(0, first - sim_now()))
    }
}

/// A mistake that is planted on purpose, so that the simulation shows that it would find it.
/// - Confinement: any
enum Mistake: String, CaseIterable {
    /// A commit is acknowledged before the journal has it.
    case acknowledgeEarly = "acknowledge-early"
    /// A node leads without having read the journal up to its end.
    case leadUnread = "lead-unread"
    /// Entries are applied twice.
    case applyTwice = "apply-twice"
    /// Entries are appended whatever comes before them.
    case forgetExpectation = "forget-expectation"
}
