import Model
import ThreadMessages

/// The questions of this node's sender of pushes to other nodes which users look at a device. A value: times are
/// parameters.
///
/// - Confinement: any
struct AskedQuestions: Sendable {
    private struct Open {
        var nodes: Set<String>
        var sessions: [LookingSession] = []
        let endsAt: Int64
    }

    /// The whole answer of the other nodes.
    ///
    /// - Confinement: any
    struct Answer: Sendable, Hashable {
        let number: Int64
        let sessions: [LookingSession]
    }

    private var open: [Int64: Open] = [:]

    /// A question goes to these nodes.
    mutating func begin(_ number: Int64, to nodes: [String], at now: Int64) {
        open[number] = Open(nodes: Set(nodes), endsAt: now + SignalLimits.lookingMilliseconds)
    }

    /// A node has answered.
    ///
    /// - Returns: the whole answer when it was the last node.
    mutating func take(_ answer: NodeAnswer, of node: String) -> Answer? {
        guard var question = open[answer.number], question.nodes.remove(node) != nil else { return nil }
        question.sessions += answer.sessions
        open[answer.number] = question
        return question.nodes.isEmpty ? end(answer.number) : nil
    }

    /// The questions that have waited long enough, with the answers of the nodes that gave one.
    mutating func overdue(at now: Int64) -> [Answer] {
        open.filter { $0.value.endsAt <= now }.keys.sorted().compactMap { end($0) }
    }

    private mutating func end(_ number: Int64) -> Answer? {
        open.removeValue(forKey: number).map { Answer(number: number, sessions: $0.sessions) }
    }
}
