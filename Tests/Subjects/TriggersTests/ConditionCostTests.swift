import Foundation
import Model
import Testing
import Triggers

/// The cost of a single step of SQLite: nothing can interrupt it, so each function must be fast on the worst texts.
@Suite(.serialized) struct ConditionCostTests {
    /// The worst calls of each function; `{a}` and `{b}` stand for texts of the greatest length.
    private static let calls: [String: [String]] = [
        "abs": ["abs({a})"], "char": ["char(1, 2, 3)"], "coalesce": ["coalesce(NULL, {a})"],
        "concat": ["concat({a}, 'x')"], "concat_ws": ["concat_ws(',', {a}, 'x')"], "format": ["format('%s', {a})"],
        "glob": ["{a} GLOB '*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'", "{a} GLOB '*[b-c]*[b-c]*[d-e]'"],
        "hex": ["hex({a})"], "ifnull": ["ifnull({a}, 1)"], "iif": ["iif({a}, {a}, {b})"], "if": ["if({a}, {a})"],
        "instr": ["instr({a}, substr({a}, 1, 30000) || 'b')", "instr({a}, 'aaaaaaaaaaaaaaaaaaab')"],
        "length": ["length({a})"],
        "like": [
            "{a} LIKE '%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'", "{a} LIKE '%a_a%a_a%aa_a%a%a%a%b'",
            "{a} LIKE '\(String(repeating: "%a", count: 127))b'",
        ],
        "likelihood": ["likelihood({a}, 0.5)"], "likely": ["likely({a})"], "lower": ["lower({a})"],
        "ltrim": ["ltrim({a}, {b})"], "max": ["max({a}, {a} || 'b')"], "min": ["min({a}, {b})"],
        "nullif": ["nullif({a}, {a})"], "octet_length": ["octet_length({a})"],
        "printf": ["printf('%q', {a})", "printf('%.*c', 65000, 'a')", "printf('%65000d', 1)"],
        "quote": ["quote({a})"],
        "replace": [
            "replace({a}, substr({a}, 1, 30000) || 'b', 'x')", "replace({a}, 'a', '')", "replace({a}, 'aab', 'b')",
        ],
        "round": ["round({a}, 3)"], "rtrim": ["rtrim({a}, {b})"], "sign": ["sign({a})"],
        "substr": ["substr({a}, 30000, 30000)", "substr({a}, -60000, 9)"], "substring": ["substring({a}, 30000)"],
        "trim": ["trim({a}, {b})", "trim({b}, {b})", "trim({a}, {a})"], "typeof": ["typeof({a})"],
        "unhex": ["unhex({a})"], "unicode": ["unicode({a})"], "unlikely": ["unlikely({a})"], "upper": ["upper({a})"],
        "->": ["{j} -> '$.k9000'"], "->>": ["{j} ->> '$.k9000'", "{l} ->> '$[#-1]'"],
        "json": ["json({j})", "json({l})"], "json_array": ["json_array({a}, {a})"],
        "json_array_length": ["json_array_length({l})"], "json_extract": ["json_extract({l}, '$[30000]')"],
        "json_insert": ["json_insert({l}, '$[#]', 1)"], "json_object": ["json_object('a', {c})"],
        "json_patch": ["json_patch({j}, {j})", "json_patch('{\"a\":1}', {j})", "json_patch({j}, '{\"a\":1}')"],
        "json_quote": ["json_quote({c})"], "json_remove": ["json_remove({j}, '$.k4000')"],
        "json_replace": ["json_replace({j}, '$.k4000', 1)"], "json_set": ["json_set({j}, '$.zz', 1)"],
        "json_type": ["json_type({l})"], "json_valid": ["json_valid({l})"],
        "date": ["date({a})"], "datetime": ["datetime('now', {a})"], "time": ["time({a})"],
        "julianday": ["julianday({a})"], "unixepoch": ["unixepoch({a})"],
        "strftime": ["strftime(replace({a}, 'a', '%J'))", "strftime({a})"], "local_time": ["local_time({a}, {b})"],
        "next_occurrence": [
            "next_occurrence({a}, {b}, {b})", "next_occurrence('FREQ=DAILY', {a}, {b})",
            "next_occurrence('FREQ=YEARLY;BYDAY=53MO;BYMONTHDAY=31', '0000-01-01', '0000-01-01', 'Europe/Rome')",
            "next_occurrence('FREQ=DAILY;COUNT=1000;BYDAY=MO', '2000-01-01', '2030-01-01', 'Europe/Rome')",
            "next_occurrence('FREQ=DAILY;BYMONTHDAY=29;BYMONTH=2;INTERVAL=2', '2026-01-01', '2030-01-01')",
            "next_occurrence('FREQ=WEEKLY;BYMONTH=2;INTERVAL=1000', '2026-01-01', '2030-01-01')",
        ],
        "avg": ["(SELECT avg(value) FROM json_each({l}))"], "count": ["(SELECT count(*) FROM json_tree({l}))"],
        "group_concat": ["(SELECT group_concat(value, {a}) FROM json_each({l}))"],
        "json_group_array": ["(SELECT json_group_array(value) FROM json_each({l}))"],
        "json_group_object": ["(SELECT json_group_object(value, {a}) FROM json_each({l}))"],
        "string_agg": ["(SELECT string_agg(value, ',') FROM json_each({l}))"],
        "sum": ["(SELECT sum(value) FROM json_each({l}))"], "total": ["(SELECT total(value) FROM json_each({l}))"],
    ]
    /// Functions that only use numbers and read no texts.
    private static let numeric: Set<String> = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp",
        "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan",
        "tanh", "trunc", "current_date", "current_time", "current_timestamp",
    ]
    /// More than any of them takes here; our own functions take ten times as long in a build without optimization.
    private static let milliseconds = 1500.0

    private static let texts: [String: String] = {
        let length = 64 * 1024
        let characters = String(String.UnicodeScalarView((0x100..<0x5000).compactMap(Unicode.Scalar.init)))
        return [
            "a": String(repeating: "a", count: length), "b": "b" + characters,
            "c": String(repeating: "\u{1}", count: length),
            "j": "{" + (0..<6000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}",
            "l": "[" + Array(repeating: "1", count: length / 2 - 2).joined(separator: ",") + "]",
        ]
    }()

    @Test func `every function that is allowed stands in this table`() {
        #expect(ConditionAuthorizer.functions.subtracting(Self.calls.keys).subtracting(Self.numeric) == [])
    }

    @Test(arguments: calls.keys.sorted())
    func `a single call on the worst texts ends soon`(function: String) throws {
        let runner = try ConditionRunner()
        for call in Self.calls[function] ?? [] {
            var letters: [String] = []
            for match in call.matches(of: /\{([abcjl])\}/) where !letters.contains(String(match.output.1)) {
                letters.append(String(match.output.1))
            }
            var text = call
            for (letter, input) in zip(letters, ["before", "after"]) {
                text = text.replacing("{\(letter)}", with: input)
            }
            let condition: Condition
            do {
                condition = try runner.compile(text)
            } catch {
                // Functions that this version of SQLite does not have yet.
                #expect(error.message.contains("no such function"), "\(text): \(error)")
                continue
            }
            let values = letters.map { Array((Self.texts[$0] ?? "").utf8) }
            var best = Double.infinity
            for _ in 0..<3 {
                runner.meter.beginWrite()
                let clock = ContinuousClock()
                let took = clock.measure {
                    _ = condition.evaluate(
                        before: values.first, after: values.dropFirst().first, names: [],
                        now: Timestamp(milliseconds: 0))
                }
                best = min(best, took / .milliseconds(1))
            }
            if best > 4 { print("one step: \(best) ms \(call)") }
            #expect(best < Self.milliseconds, "\(call)")
        }
    }

    /// Calls that SQLite's own functions answer within a few milliseconds, and whose work exceeds the budget.
    private static let dearCalls: [String] =
        [
            "instr(after, substr(after, 2, 2000) || 'b')", "replace(after, substr(after, 2, 2000) || 'b', 'x')",
            "after LIKE '%aaaaaaaab'", "after LIKE '%aaaaaaaab' ESCAPE '!'", "after GLOB '*aaaaaaaab'",
            "json_patch(after, after)",
        ]
        + [
            "trim(after || x)", "ltrim(after || x)", "rtrim(after || x)", "trim(after || x, 'b')",
            "after || printf('%.*c', 20000 + x, 'a')",
        ].map { call in
            """
            (WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 5)
            SELECT sum(length(\(call))) FROM t)
            """
        }

    @Test(arguments: dearCalls)
    func `work inside of a single function is taken from the budget, too`(call: String) throws {
        let document = Array("\"\(String(repeating: "a", count: 64 * 1024 - 2))\"".utf8)
        let outcome = try ConditionRunner().compile(call).evaluate(
            before: nil, after: document, names: [], now: Timestamp(milliseconds: 0))
        let steps = Limits.conditionStepsMax * TriggerLimits.conditionBytesAtFullBudget / document.count
        // In a build without optimization, the time may be over first.
        let ends: [Condition.Outcome] = [
            .failure("took more than \(steps) steps"),
            .failure("took more than \(TriggerLimits.conditionMillisecondsMax) ms"),
        ]
        #expect(ends.contains(outcome), "\(outcome)")
    }

    @Test(arguments: [(0, 16 * 1024), (1000, 16 * 1024 + 2000), (64 * 1024, 128 * 1024)])
    func `a value has room for both documents twice, and one byte more is refused`(bytes: Int, bound: Int) throws {
        let runner = try ConditionRunner()
        let document = Array(repeating: UInt8(ascii: "a"), count: bytes)
        let (unit, unitBytes) = bytes > 0 ? ("after", bytes) : ("printf('%.*c', 1024, 'b')", 1024)
        func outcome(ofValueOf length: Int) throws -> Condition.Outcome {
            let units = Array(repeating: unit, count: length / unitBytes).joined(separator: " || ")
            let value = "\(units) || substr(\(unit), 1, \(length % unitBytes))"
            return try runner.compile("length(\(value))").evaluate(
                before: nil, after: document, names: [], now: Timestamp(milliseconds: 0))
        }
        let (fitting, longer) = (try outcome(ofValueOf: bound), try outcome(ofValueOf: bound + 1))
        #expect(fitting == .value(.integer(Int64(bound)), isTrue: true))
        #expect(longer == .failure("string or blob too big"))
    }

    @Test func `a loop of costly calls is stopped by the clock`() throws {
        let runner = try ConditionRunner()
        let text = """
            (WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT
            sum(length(json(after)) + x) FROM t) > 0
            """
        let list = Array("[\(Array(repeating: "1", count: 30_000).joined(separator: ","))]".utf8)
        let condition = try runner.compile(text)
        let took = ContinuousClock().measure {
            let outcome = condition.evaluate(
                before: nil, after: list, names: [], now: Timestamp(milliseconds: 0))
            if case .failure(let message) = outcome {
                #expect(message.hasPrefix("took more than"))
            } else {
                Issue.record("\(outcome)")
            }
        }
        #expect(took < .milliseconds(500))
        #expect(runner.meter.ranOut && runner.meter.wasted > 0 && runner.meter.spent == 0)
    }

    @Test func `many operations on large documents are too many, and on small ones are not`() throws {
        let runner = try ConditionRunner()
        let text = Array(repeating: "after ->> 'a' = 1", count: 90).joined(separator: " OR ")
        let condition = try runner.compile(text)
        let small = Array(#"{"a":1}"#.utf8)
        let now = Timestamp(milliseconds: 0)
        #expect(condition.evaluate(before: nil, after: small, names: [], now: now) == .value(.integer(1), isTrue: true))
        let several = "json_array(\(Array(repeating: "after||after", count: 30).joined(separator: ",")))"
        let longer = try runner.compile("json_array(\(Array(repeating: several, count: 10).joined(separator: ",")))")
        let large = Array("{\"a\":\"\(String(repeating: "x", count: 65_000))\"}".utf8)
        guard case .failure(let message) = longer.evaluate(before: nil, after: large, names: [], now: now) else {
            Issue.record("it was evaluated")
            return
        }
        #expect(message.hasPrefix("has ") && message.contains("too many for documents of 65008 bytes"))
    }

    @Test func `when much was wasted an evaluation may take little, and a row that needs more may`() throws {
        let meter = WorkMeter()
        #expect(meter.allowance(of: 200_000) == 200_000)
        meter.chargeOverrun(TriggerLimits.wasteMax)
        #expect(meter.isSpent && !meter.isSpentWell)
        #expect(meter.allowance(of: 200_000) == TriggerLimits.workFloor)
        meter.beginRun(usualWork: 30_000)
        #expect(meter.allowance(of: 200_000) == 60_000)
        meter.charge(TriggerLimits.workMax)
        #expect(meter.allowance(of: 200_000) == TriggerLimits.workFloor && meter.isSpentWell)
        meter.endRun(of: "x")
        #expect(meter.dearest?.trigger == "x" && meter.dearest?.work == TriggerLimits.workMax)
        meter.beginWrite()
        #expect(meter.allowance(of: 200_000) == 200_000 && meter.dearest == nil)
    }
}
