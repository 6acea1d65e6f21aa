import JSON
import Model
import Store

/// What one trigger did about one change, as the answer to a document's write tells it.
///
/// - Confinement: any
struct TriggerReport: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        /// This many notifications were written; none when all of them stood there already.
        case notified(Int)
        case scheduled(Timestamp)
        /// Why nothing was to be done.
        case skipped(String)
        case failed(String)
    }

    let trigger: String
    let effect: Effect
    /// Whether the condition was not true, and that was all.
    var isUnmet = false
    /// Notifications of the trigger that the change has taken away.
    var withdrawn = 0
    /// Whether what was skipped when it ran again had been done before.
    var isDone = false
    /// What the writer of the document may be told where a time or a zone in it is none; nil for everything else.
    var wrongTime: String?
    /// When what an earlier version of the document had scheduled was due; nil where that did not change.
    var earlier: Timestamp?

    /// Whether the change told, or scheduled, something in place of what was scheduled before.
    private var hasOther: Bool {
        switch effect {
        case .notified, .scheduled: true
        case .skipped, .failed: false
        }
    }

    var json: JSONValue {
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
