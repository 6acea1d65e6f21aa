import JSON
import Model
import TestSupport
import Testing

@testable import Triggers

/// Results of conditions without SQLite, compared with SQLite.
struct ConditionIndexTests {
    private static let path = "people/{person}/credits/{product}"
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// Random conditions over a few fields, of the forms that are recognized and of others.
    private struct Writer {
        var random: SeededRandom

        mutating func field() -> String {
            let side = pick(["after", "before", "AFTER"])
            let name = pick(["a", "b", "c_1", "deep.x"])
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return "json_extract(\(side), '$.\(name)')"
            case 1: return "(\(side) ->> '$.\(name)')"
            case 2 where name == "deep.x": return "\(side) -> 'deep' ->> 'x'"
            case 3: return "\(side)->>'$.\(name)'"
            default: return name == "deep.x" ? "\(side) ->> '$.deep.x'" : "\(side) ->> '\(name)'"
            }
        }

        mutating func literal() -> String {
            pick([
                "0", "1", "-1", "2", "3", "5", "2.5", "-2.5", "0.1", "3.0", "10.000001", "100", "999999999999999", "''",
                "'a'", "'A'", "'b'", "'ab'", "'é'", "'1'", "'2'", "'3'", "'it''s'", "'true'", "'10'", "true", "FALSE",
                "'e\u{301}'", "'{}'", "'[]'", "'[1]'", "1e3", "0x10", "NULL",
            ])
        }

        mutating func comparison() -> String { pick(["=", "==", "<>", "!=", "<", "<=", ">", ">="]) }

        mutating func conjunct() -> String {
            switch Int.random(in: 0..<16, using: &random) {
            case 0...4: return "\(field()) \(comparison()) \(literal())"
            case 5: return "\(literal()) \(comparison()) \(field())"
            case 6: return "\(field()) \(comparison()) \(field())"
            case 7: return "\(field()) IN (\(literal()), \(literal()), \(literal()))"
            case 8: return "\(field()) BETWEEN \(literal()) AND \(literal())"
            case 9: return "\(field()) \(pick(["IS NULL", "IS NOT NULL", "ISNULL", "NOTNULL", "NOT NULL"]))"
            case 10: return "\(pick(["before", "after"])) \(pick(["IS NULL", "IS NOT NULL"]))"
            case 11: return "NOT \(field()) \(comparison()) \(literal())"
            case 12: return "\(field()) NOT IN (\(literal()))"
            case 13: return pick(["length(\(field())) > 1", "person = '525'", "lower(\(field())) = 'a'", "1"])
            case 14: return pick(["abs(\(field())) > 1", "\(field()) LIKE 'a%'", "local_time(\(field()), 'x') > 1"])
            default: return "(\(condition()))"
            }
        }

        mutating func condition() -> String {
            var text = conjunct()
            while Bool.random(using: &random) { text += pick([" AND ", " and ", " AND ", " OR "]) + conjunct() }
            return text
        }

        mutating func value() -> JSONValue {
            let values: [JSONValue] = [
                .null, true, false, 0, 1, -1, 2, 3, 5, 100, .integer(1 << 53), .integer(.max), .integer(.min),
                .integer(999_999_999_999_999), .number(2.5), .number(-2.5), .number(0.1), .number(0.30000000000000004),
                .number(3), .number(10.000001), .number(1e300), .number(.leastNonzeroMagnitude), .number(-0.0), "", "a",
                "A", "b", "ab",
                "é", "e\u{301}", "1", "2", "3", "it's", "true", "10", "a\u{0}b", "\u{1}", "\"", "\\", "{}", "[]", "[1]",
                [], [1], [:], ["x": 1], ["x": "a"],
            ]
            return pick(values)
        }

        mutating func document() -> JSONValue? {
            if Int.random(in: 0..<8, using: &random) == 0 { return nil }
            var object = JSONObject()
            for name in ["a", "b", "c_1"] where Int.random(in: 0..<6, using: &random) > 0 { object[name] = value() }
            if Bool.random(using: &random) { object["deep"] = ["x": value(), "y": 1] }
            return .object(object)
        }

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
    }

    private static func trigger(_ condition: String, _ runner: ConditionRunner) throws -> CompiledTrigger {
        try CompiledTrigger(TriggerDefinition(json: row(("condition", .string(condition)))), runner: runner)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `nothing is ruled out that SQLite would let pass, or fail`(seed: UInt64) throws {
        let runner = try ConditionRunner()
        var writer = Writer(random: SeededRandom(seed: seed))
        var triggers: [(text: String, trigger: CompiledTrigger)] = []
        while triggers.count < 400 {
            let text = writer.condition()
            // A text that SQLite does not compile is not a trigger.
            guard let trigger = try? Self.trigger(text, runner) else { continue }
            triggers.append((text, trigger))
        }
        let index = ConditionIndex(triggers.map(\.trigger.decidingShape))
        var (ruledOut, known) = (0, 0)
        for _ in 0..<40 {
            let (before, after) = (writer.document(), writer.document())
            let candidates = Set(index.candidates(before: before, after: after))
            for (place, one) in triggers.enumerated() {
                let outcome = one.trigger.condition?.evaluate(
                    before: before?.bytes, after: after?.bytes, names: ["525", "movie/603"], now: Self.now)
                let change = "\(one.text) on \(before?.text ?? "-") and \(after?.text ?? "-")"
                if !candidates.contains(place) {
                    ruledOut += 1
                    guard case .value(_, isTrue: false)? = outcome else {
                        Issue.record("\(change): ruled out, and SQLite says \(outcome.debugDescription)")
                        continue
                    }
                }
                if let value = one.trigger.decidingShape?.falsehood(before: before, after: after) {
                    known += 1
                    #expect(outcome == .value(value, isTrue: false), "\(change)")
                }
            }
        }
        #expect(ruledOut > 2_000)
        #expect(known > 2_000)
    }

    @Test(arguments: [
        "after ->> 'index' >= 4", "4 <= after ->> 'index'", "(after ->> 'index' >= 4)", "after ->> '$.index' >= 4",
        "json_extract(after, '$.index') >= 4", "after ->> 'index' BETWEEN 4 AND 9", "after ->> 'index' IN (4, 5)",
        "before IS NULL AND after ->> 'index' = 4", "after -> 'a' ->> 'index' = 4 AND length(after ->> 'b') > 2",
        "before ->> 'due' <> after ->> 'due'", "after ->> 'kind' = 'it''s'",
    ])
    func `these are recognized`(condition: String) throws {
        #expect(try Self.trigger(condition, ConditionRunner()).isJudgedByCondition)
    }

    @Test(arguments: [
        "after ->> 'index' >= 4 OR now > 'x'", "after ->> 'index' >= 4 AND abs(after ->> 'x') > 1",
        "after ->> 'index' = 4 COLLATE NOCASE", "after ->> 'index' = 4 /* or */", "after ->> 'a b' = 4", "person = 'x'",
        "after ->> 'index' = 4 AND after ->> (after ->> 'p') = 1", "after -> 'index' = 4", "after ->> 'index' IS 4",
        "after ->> 'a' = 1 AND (after ->> 'a') ->> 'b' = 1", "after ->> 'a' = CASE WHEN 1 AND 2 THEN 3 END",
        "after ->> '0' = 1", "after ->> 'a.b' = 1", "after ->> '$[0]' = 1", "after ->> 'index' >= 4 + 1",
        "after ->> 'a' = 1 AND after ->> 'b' LIKE '%x'", "after ->> \"before\" = 1", "",
    ])
    func `these are left to SQLite`(condition: String) throws {
        #expect(try !Self.trigger(condition, ConditionRunner()).isJudgedByCondition)
    }

    @Test func `a row that looks at every change is left to SQLite`() throws {
        let condition: (String, JSONValue) = ("condition", "after ->> 'index' >= 4")
        for column in ["withdraw", "rearm", "at"] {
            let json = row(condition, (column, "after ->> 'x'"))
            let trigger = try CompiledTrigger(TriggerDefinition(json: json), runner: ConditionRunner())
            #expect(!trigger.isJudgedByCondition)
        }
    }

    @Test func `the index finds those of a thousand thresholds that a value passes`() throws {
        let runner = try ConditionRunner()
        let triggers = try (0..<1_000).map { number in
            let json = row(
                ("name", .string("t-\(1_000 + number)")), ("condition", .string("after ->> 'index' > \(number)")))
            return try CompiledTrigger(TriggerDefinition(json: json), runner: runner)
        }
        let table = TriggerTable(triggers)
        let list = try #require(table.watching(try DocumentPath("people/525/credits/movie/603")).first)
        let few = list.sift(.create, before: nil, after: ["index": 3], naming: 2)
        #expect(few.candidates.map(\.definition.name) == ["t-1000", "t-1001", "t-1002"])
        #expect(few.ruledOutCount == 997)
        #expect(few.ruledOut.map(\.definition.name) == ["t-1003", "t-1004"])
        #expect(list.sift(.delete, before: ["index": 3], after: nil, naming: 0).candidates.isEmpty)
        #expect(list.sift(.create, before: nil, after: ["index": "a text"], naming: 0).candidates.count == 1_000)
    }
}
