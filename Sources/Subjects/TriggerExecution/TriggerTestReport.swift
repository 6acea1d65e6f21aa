import JSON
import Model
import Notifying
import Triggers

/// The part of the answer to a test about the row and the change.
///
/// - Confinement: any
struct TriggerTestReport {
    private let explanation: TriggerExplanation
    private let trigger: TriggerDefinition

    init(_ explanation: TriggerExplanation, trigger: TriggerDefinition) {
        self.explanation = explanation
        self.trigger = trigger
    }

    /// Adds the members to the report of the whole test.
    func add(to report: inout JSONObject) {
        report["matched"] = .bool(explanation.mismatch == nil)
        report["mismatch"] = explanation.mismatch.map(Self.json)
        if !explanation.names.isEmpty {
            let names = explanation.names.map { (name: $0.name, value: JSONValue.string($0.value)) }
            report["names"] = .object(JSONObject(names))
        }
        report["condition"] = explanation.condition.map(Self.json)
        report["at"] = explanation.at.map(Self.json)
        addOutcome(to: &report)
        guard explanation.mismatch == nil else { return }
        report["templates"] = .array(explanation.renderings.map(Self.json))
        var missing: [String] = []
        for name in explanation.renderings.flatMap(\.missing) where !missing.contains(name) { missing.append(name) }
        report["missing"] = .array(missing.map { .string($0) })
    }

    /// Adds the outcome, `notify`, `schedule`, `skip` or `fail`, and why.
    private func addOutcome(to report: inout JSONObject) {
        guard trigger.isEnabled else {
            report["outcome"] = "skip"
            report["reason"] = "the trigger is off"
            return
        }
        switch explanation.outcome {
        case .wanted: report["outcome"] = "notify"
        case .scheduled(let at, _):
            report["outcome"] = "schedule"
            report["scheduled"] = .string(at.text)
        case .skipped(let reason):
            report["outcome"] = "skip"
            report["reason"] = .string(explanation.mismatch?.message ?? reason.description)
        case .failed(let failure):
            report["outcome"] = "fail"
            report["reason"] = .string(failure.message)
            report["field"] = .string(failure.field)
        }
    }

    /// An expression with its value as SQL writes it, because NULL, 0 and an empty text differ.
    static func json(_ expression: TriggerExplanation.Expression) -> JSONValue {
        var object: JSONObject = ["expression": .string(expression.text), "isTrue": .bool(expression.isTrue)]
        if let value = expression.value {
            object["value"] = .string(value.description)
            object["type"] = .string(Self.type(of: value))
        }
        object["failure"] = expression.failure.map { .string($0) }
        return .object(object)
    }

    private static func type(of value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        }
    }

    private static func json(_ mismatch: TriggerExplanation.Mismatch) -> JSONValue {
        var object: JSONObject = ["message": .string(mismatch.message)]
        switch mismatch {
        case .path(let path):
            object["part"] = path.segment.map { .integer(Int64($0)) } ?? .null
            object["expected"] = .string(path.expected)
            object["found"] = .string(path.found)
        case .event(let watched, let found):
            object["event"] = .string(found.rawValue)
            object["watched"] = .string(watched.rawValue)
        }
        return .object(object)
    }

    private static func json(_ rendering: TriggerExplanation.Rendering) -> JSONValue {
        var object: JSONObject = [
            "field": .string(rendering.field), "template": .string(rendering.template),
            "text": rendering.text.map { .string($0) } ?? .null,
        ]
        if !rendering.missing.isEmpty { object["missing"] = .array(rendering.missing.map { .string($0) }) }
        return .object(object)
    }

    /// The event that the webhook would get: its address and its data.
    static func webhook(
        _ url: String,
        _ name: String,
        _ change: DocumentChange,
        _ wanted: NotificationWanted
    ) -> JSONValue {
        let data: JSONObject = [
            "trigger": .string(name), "path": .string(change.path.text), "event": .string(change.event.rawValue),
            "before": change.before ?? .null, "after": change.after ?? .null, "notification": wanted.testJSON,
        ]
        return ["url": .string(url), "data": .object(data)]
    }
}

extension NotificationWanted {
    /// The whole notification, in every language.
    var testJSON: JSONValue {
        var object: JSONObject = [
            "audience": .string(audience.description), "kind": .string(kind), "level": .string(level.rawValue),
        ]
        object["collapse"] = collapse.map { .string($0) }
        object["expires"] = expires.map { .string($0.text) }
        object["texts"] = StoredTexts(texts).jsonValue
        object["data"] = data
        if ignoresBlocks { object["blocks"] = .string(BlockRule.ignore.rawValue) }
        return .object(object)
    }
}
