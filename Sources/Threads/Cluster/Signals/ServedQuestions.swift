import Model
import ThreadMessages

/// The questions of other nodes that this node's loops answer. A value: times are parameters.
///
/// - Confinement: any
struct ServedQuestions: Sendable {
    private struct Open {
        let asker: String
        let question: NodeQuestion
        var loops: Set<Int>
        var sessions: [LookingSession] = []
        let endsAt: Int64
    }

    private let loops: Int
    private var open: [Int64: Open] = [:]
    private var lastNumber: Int64 = 0

    /// - Parameter loops: how many loops answer.
    init(loops: Int) { self.loops = loops }

    /// - Returns: the question for each loop; nil when too many are being answered.
    mutating func begin(_ question: NodeQuestion, of asker: String, at now: Int64) -> PushQuestion? {
        open = open.filter { $0.value.endsAt > now }
        guard open.count < SignalLimits.answeringMax else { return nil }
        lastNumber += 1
        open[lastNumber] = Open(
            asker: asker, question: question, loops: Set(0..<loops),
            endsAt: now + SignalLimits.answeringMilliseconds)
        return PushQuestion(number: lastNumber, users: question.users)
    }

    /// A loop has answered.
    ///
    /// - Returns: the answer of this node when it was the last loop.
    mutating func take(_ looking: PushLooking) -> NodeAnswer? {
        guard var served = open[looking.number], served.loops.remove(looking.loop) != nil else { return nil }
        served.sessions += looking.sessions
        open[looking.number] = served
        guard served.loops.isEmpty else { return nil }
        open[looking.number] = nil
        let question = served.question
        return NodeAnswer(
            to: served.asker, boot: question.boot, number: question.number, sessions: served.sessions)
    }
}
