package import ClientProtocol
import Model
import Store
import Triggers

/// The part of the log on which a trigger runs again.
///
/// - Confinement: any
package struct ReplayRange: Sendable, Hashable {
    package let name: String
    package let from: Int64
    package let to: Int64
    /// The most changes that the trigger's path matches. Then the answer says where to go on.
    package let limit: Int
    /// To what people wrote to each other.
    private let access: ConversationAccess

    /// - Throws: `Refusal` naming the field.
    package init(
        name: String, from: Int64, to: Int64, limit: Int?, _ access: ConversationAccess = .lacksScope
    ) throws(Refusal) {
        guard from >= 1, from < Position.bound else {
            throw Refusal.badRequest(field: "from", "must be a position, 1 or more")
        }
        guard to >= from, to < Position.bound else {
            throw Refusal.badRequest(field: "to", "must be a position, not before from")
        }
        let limit = limit ?? TriggerLimits.replayedChangesMax
        guard (1...TriggerLimits.replayedChangesMax).contains(limit) else {
            throw Refusal.badRequest(field: "limit", "must be 1 to \(TriggerLimits.replayedChangesMax)")
        }
        self.name = name
        self.from = from
        self.to = to
        self.limit = limit
        self.access = access
    }

    /// Checks that the changes of a trigger may be read.
    ///
    /// - Throws: `Refusal`, see ``ConversationAccess``.
    func checkMayRead(for trigger: CompiledTrigger) throws(Refusal) {
        try access.check(trigger.definition.path.levels.first?.collection)
    }

    /// One slice of it: its changes, and its end; nil when nothing of it is known, or there.
    func slice(
        of trigger: CompiledTrigger,
        in history: ChangeHistory,
        head: Position
    ) throws -> (changes: [PastChange], upTo: Int64)? {
        let first = max(from, try history.knownFrom().value + 1)
        let last = min(to, head.value, first + TriggerLimits.replayedPositionsMax - 1)
        guard first <= last else { return nil }
        return try history.matching(trigger.definition.path, in: first...last, limit: limit)
    }
}
