import JSON
import Model
import Store

/// The result of one trigger on one change, for the answer to the write of a document.
///
/// - Confinement: any
struct TriggerReport: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        /// The number of notifications written; 0 when all were there already.
        case notified(Int)
        case scheduled(Timestamp)
        /// Why nothing was to be done.
        case skipped(String)
        case failed(String)
    }

    let trigger: String
    let effect: Effect
    /// Whether nothing happened except that the condition was not true.
    var isUnmet = false
    /// The number of notifications of the trigger that the change has taken away.
    var withdrawn = 0
    /// Whether it was skipped in a second run because it had been done before.
    var isDone = false
    /// The reason for the writer of the document when a time or a zone in it cannot be read; nil for all other failures.
    var wrongTime: String?
    /// The time that an earlier version of the document had scheduled; nil when the change left it.
    var earlier: Timestamp?

    /// Whether the change sent or scheduled something in place of the earlier one.
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
