import JSON
import Model
import Testing
import Triggers

/// A row with simple values in every column, changed by the given columns.
func row(_ columns: (String, JSONValue)...) -> JSONValue {
    var object: JSONObject = [
        "name": "a-trigger", "event": "write", "path": "people/{person}/credits/{product}", "condition": "",
        "audience": "followers:person:{person}", "title": "T",
    ]
    for (name, value) in columns { object[name] = value }
    return .object(object)
}

/// The outcome of a row for one change.
func outcome(
    of row: JSONValue,
    path: String = "people/525/credits/movie/603",
    event: ChangeEvent = .create,
    before: JSONValue? = nil,
    after: JSONValue? = ["title": "The Matrix"],
    now: String = "2026-11-21T10:00:00.000Z"
) throws -> TriggerOutcome {
    let trigger = try CompiledTrigger(TriggerDefinition(json: row), runner: ConditionRunner())
    let change = DocumentChange(path: try DocumentPath(path), event: event, before: before, after: after)
    return TriggerEvaluation.evaluate(trigger, change: change, now: try #require(Timestamp(now)))
}

/// The notification of a row.
func wanted(_ row: JSONValue, after: JSONValue) throws -> NotificationWanted {
    let outcome = try outcome(of: row, after: after)
    guard case .wanted(let wanted) = outcome else { throw Unexpected(outcome: outcome) }
    return wanted
}

/// The outcome was a different one.
struct Unexpected: Error {
    let outcome: TriggerOutcome
}
