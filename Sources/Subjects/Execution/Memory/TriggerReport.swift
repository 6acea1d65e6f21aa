package import JSON
package import Model
import Store

/// The result of one trigger on one change, for the answer to the write of a document.
///
/// - Confinement: any
package struct TriggerReport: Sendable, Hashable {
    /// The effect of the trigger.
    package enum Effect: Sendable, Hashable {
        /// The number of notifications written; 0 when all were there already.
        case notified(Int)
        case scheduled(Timestamp)
        /// Why nothing was to be done.
        case skipped(String)
        case failed(String)
    }

    package let trigger: String
    package let effect: Effect
    /// Whether nothing happened except that the condition was not true.
    package var isUnmet: Bool
    /// The number of notifications of the trigger that the change has taken away.
    package var withdrawn: Int
    /// Whether it was skipped in a second run because it had been done before.
    package var isDone = false
    /// Sentences for the writer of the document: a time or a zone in it cannot be read, or it names fewer people than it could.
    package var warnings: [String] = []
    /// The time that an earlier version of the document had scheduled; nil when the change left it.
    package var earlier: Timestamp?

    package init(
        trigger: String, effect: Effect, isUnmet: Bool = false, withdrawn: Int = 0, earlier: Timestamp? = nil
    ) {
        self.trigger = trigger
        self.effect = effect
        self.isUnmet = isUnmet
        self.withdrawn = withdrawn
        self.earlier = earlier
    }

    /// Whether the change sent or scheduled something in place of the earlier one.
    private var hasOther: Bool {
        switch effect {
        case .notified, .scheduled: true
        case .skipped, .failed: false
        }
    }

    package var json: JSONValue {
        let told: (name: String, value: JSONValue) =
            switch effect {
            case .notified(let count): ("notifications", .integer(Int64(count)))
            case .scheduled(let at): ("scheduled", .string(at.text))
            case .skipped(let reason): ("skipped", .string(reason))
            case .failed(let reason): ("failed", .string(reason))
            }
        var members = [(name: "trigger", value: JSONValue.string(trigger)), told]
        if withdrawn > 0 { members.append(("withdrawn", .integer(Int64(withdrawn)))) }
        if let earlier { members.append((name: hasOther ? "moved" : "dropped", value: .string(earlier.text))) }
        return .object(JSONObject(distinct: members))
    }
}
