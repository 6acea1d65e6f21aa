import JSON
import Model
import Testing
import Triggers

/// A row with every column set to something plain, changed by the columns given.
func row(_ columns: (String, JSONValue)...) -> JSONValue {
    var object: JSONObject = [
        "name": "a-trigger", "event": "write", "path": "people/{person}/credits/{product}", "condition": "",
        "audience": "followers:person:{person}", "title": "T",
    ]
    for (name, value) in columns { object[name] = value }
    return .object(object)
}

/// What a row comes to for one change.
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

/// The notification a row asks for.
func wanted(_ row: JSONValue, after: JSONValue) throws -> NotificationWanted {
    let outcome = try outcome(of: row, after: after)
    guard case .wanted(let wanted) = outcome else { throw Unexpected(outcome: outcome) }
    return wanted
}

/// The outcome was another one.
struct Unexpected: Error {
    let outcome: TriggerOutcome
}
