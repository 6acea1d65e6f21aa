import Model
import ThreadMessages

/// The questions to the loops which users are looking, until each loop has answered, and the other nodes have. A value: times are parameters.
///
/// - Confinement: any
struct PushQuestions: Sendable {
    /// Everything that is known about the sessions of some users.
    ///
    /// - Confinement: any
    struct Answer: Sendable, Hashable {
        let question: Int64
        /// By user; a user without sessions is not connected.
        let sessions: [StreamID: [LookingSession]]
    }

    private struct Open {
        var loops: Set<Int>
        var awaitsOthers: Bool
        var sessions: [LookingSession] = []
        let askedAt: Int64
    }

    /// A loop that does not answer for so long counts as one without sessions: a push too many is better than none.
    private static let patienceMilliseconds: Int64 = 1_000

    private let loops: Int
    private let hasOthers: Bool
    private var open: [Int64: Open] = [:]
    private var lastNumber: Int64 = 0

    /// - Parameters:
    ///   - loops: How many loops there are.
    ///   - hasOthers: Whether there are other nodes, which are asked, too; their answers come as one.
    init(loops: Int, hasOthers: Bool = false) {
        self.loops = loops
        self.hasOthers = hasOthers
    }

    /// The question about some users, for every loop.
    ///
    /// - Parameter tick: Milliseconds of a monotonic clock.
    mutating func ask(_ users: Set<StreamID>, tick: Int64) -> PushQuestion {
        lastNumber += 1
        open[lastNumber] = Open(loops: Set(0..<loops), awaitsOthers: hasOthers, askedAt: tick)
        return PushQuestion(number: lastNumber, users: users.sorted())
    }

    /// A loop has answered.
    ///
    /// - Returns: the whole answer when it was the last one.
    mutating func take(_ looking: PushLooking) -> Answer? {
        guard var question = open[looking.number], question.loops.remove(looking.loop) != nil else { return nil }
        question.sessions += looking.sessions
        return settle(question, looking.number)
    }

    /// The other nodes have answered.
    ///
    /// - Returns: the whole answer when it was the last one.
    mutating func takeElsewhere(_ number: Int64, _ sessions: [LookingSession]) -> Answer? {
        guard var question = open[number], question.awaitsOthers else { return nil }
        question.awaitsOthers = false
        question.sessions += sessions
        return settle(question, number)
    }

    private mutating func settle(_ question: Open, _ number: Int64) -> Answer? {
        open[number] = question
        return question.loops.isEmpty && !question.awaitsOthers ? end(number) : nil
    }

    /// Forgets all questions; late answers to them find none.
    mutating func forget() { open = [:] }

    /// The questions for which a loop lets wait too long, with the answers of the others.
    mutating func overdue(tick: Int64) -> [Answer] {
        open.filter { tick - $0.value.askedAt >= Self.patienceMilliseconds }.keys.sorted().compactMap { end($0) }
    }

    /// When the first question is overdue.
    var overdueAt: Int64? { open.values.map { $0.askedAt + Self.patienceMilliseconds }.min() }

    private mutating func end(_ number: Int64) -> Answer? {
        guard let question = open.removeValue(forKey: number) else { return nil }
        return Answer(question: number, sessions: Dictionary(grouping: question.sessions, by: \.user))
    }
}
