import JSON
import Model
import Testing
import Triggers

struct TriggerExplanationTests {
    private func explain(
        _ row: JSONValue,
        path: String = "people/525/credits/movie/603",
        event: ChangeEvent = .create,
        before: JSONValue? = nil,
        after: JSONValue? = ["title": "The Matrix"]
    ) throws -> TriggerExplanation {
        let trigger = try CompiledTrigger(TriggerDefinition(json: row), runner: ConditionRunner())
        let change = DocumentChange(path: try DocumentPath(path), event: event, before: before, after: after)
        return TriggerEvaluation.explain(trigger, change: change, now: Timestamp(milliseconds: 1_795_000_000_000))
    }

    @Test(arguments: [
        ("people/525/films/movie/603", "part 3 of the path is 'films', the pattern has 'credits'"),
        ("persons/525/credits/movie/603", "part 1 of the path is 'persons', the pattern has 'people'"),
        ("people/525", "the pattern has 2 levels of collection and id, the path 1 level of collection and id"),
    ])
    func `explain names the part of a path that does not match`(_ path: String, _ message: String) throws {
        let explanation = try explain(row(), path: path)
        #expect(explanation.mismatch?.message == message)
        #expect(explanation.condition == nil && explanation.renderings.isEmpty && explanation.wanted == nil)
        #expect(explanation.outcome == .skipped(.notWatched))
    }

    @Test func `explain names a literal id and an event that do not match`() throws {
        let literal = try explain(row(("path", "people/9/credits/{product}"), ("audience", "everyone")))
        #expect(literal.mismatch?.message == "part 2 of the path is '525', the pattern has '9'")
        let event = try explain(row(("event", "delete")))
        #expect(event.mismatch == .event(watched: .delete, found: .create))
    }

    @Test(arguments: [
        ("after->>'nothing'", SQLValue.null, false), ("after->>'title' = 'x'", .integer(0), false),
        ("after->>'title'", .text("The Matrix"), false), ("length(after->>'title')", .integer(10), true),
    ])
    func `a condition is shown with its value: NULL, 0 and a text are not the same`(
        _ condition: String,
        _ value: SQLValue,
        _ isTrue: Bool
    ) throws {
        let explanation = try explain(row(("condition", .string(condition))))
        #expect(explanation.condition?.value == value)
        #expect(explanation.condition?.isTrue == isTrue)
        #expect(explanation.condition?.text == condition)
        // The notification is shown whether or not it is sent.
        #expect(explanation.wanted?.texts.fallback.title == "T")
    }

    @Test func `a condition that fails says why`() throws {
        let explanation = try explain(row(("condition", "json_extract(after, '$[')")))
        #expect(explanation.condition?.value == nil)
        #expect(explanation.condition?.failure?.isEmpty == false)
    }

    @Test func `explain shows the result of each template and its missing fields`() throws {
        let row = row(
            ("title", ["en": "{{after.title}} of {{after.year}}", "it": "{{after.titel}}{{after.title}}"]),
            ("body", "{{after.note}}{{^after.note}}none{{/after.note}}"),
            ("collapse", "c:{{person}}"),
            ("data", ["p": "{{product}}", "list": ["{{before.x}}"], "plain": "as it is"])
        )
        let renderings = try explain(row).renderings
        #expect(renderings.map(\.field) == ["title.en", "title.it", "body", "collapse", "data.p", "data.list[0]"])
        #expect(
            renderings.map(\.text) == ["The Matrix of", "The Matrix", "none", "c:525", "movie/603", ""]
        )
        #expect(
            renderings.map(\.missing) == [["after.year"], ["after.titel"], [], [], [], ["before.x"]]
        )
    }

    @Test func `a notification that cannot be made fails, and its templates name the missing fields`() throws {
        let explanation = try explain(row(("audience", "user:{after.owner}"), ("title", "{{after.titel}}")))
        #expect(explanation.wanted == nil)
        #expect(explanation.renderings.map(\.missing) == [["after.titel"]])
        guard case .failed(let failure) = explanation.outcome else { throw Unexpected(outcome: explanation.outcome) }
        #expect(failure.field == "audience")
    }
}
