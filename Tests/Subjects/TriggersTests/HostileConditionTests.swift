import Model
import Testing
import Triggers

@Suite struct HostileConditionTests {
    /// Whether an evaluation was ended after this number of steps; or by the clock, on a slow machine.
    private static func hasRunOut(_ outcome: Condition.Outcome, ofSteps steps: Int) -> Bool {
        outcome == .failure("took more than \(steps) steps")
            || outcome == .failure("took more than \(TriggerLimits.conditionMillisecondsMax) ms")
    }

    @Test(arguments: [
        ("after ->> titel", "no such column: titel (at character 11)"),
        ("1 = after.titel", "no such column: after.titel; a field is written after ->> 'titel' (at character 5)"),
        ("'ä' = titel", "no such column: titel (at character 7)"),
        ("after ->> 'a' = \"titel\"", "no such column: titel; texts stand in single quotes: 'titel' (at character 17)"),
        ("1 +", "the expression is not complete"),
        ("", "an expression must not be empty"), ("  -- nothing", "an expression must not be empty"),
        ("1; DROP TABLE x", "an expression must not have ';' (at character 2)"),
        ("1) FROM sqlite_schema --", "this parenthesis was not opened (at character 2)"),
        ("1), (2", "this parenthesis was not opened (at character 2)"),
        ("(1", "this parenthesis is not closed (at character 1)"),
        ("1 /* open", "this comment is not closed (at character 3)"),
        ("'open", "this quote is not closed (at character 1)"),
        ("'a'' )", "this quote is not closed (at character 1)"), ("[a", "this quote is not closed (at character 1)"),
        (
            "?1",
            "an expression must not have parameters; its inputs are before, after, now and the names of the "
                + "row (at character 1)"
        ),
        (
            "1 = :x",
            "an expression must not have parameters; its inputs are before, after, now and the names of "
                + "the row (at character 5)"
        ),
        ("1\u{0})", "an expression must not have control characters (at character 2)"),
        ("1, 2", "near \",\": syntax error (at character 2)"), ("*", "near \"*\": syntax error (at character 1)"),
        ("SELECT 1", "near \"SELECT\": syntax error (at character 1)"),
        ("VALUES (1)", "near \"VALUES\": syntax error (at character 1)"),
        ("1 AS x", "near \"AS\": syntax error (at character 3)"),
    ])
    func `a text that is not an expression is refused with its place`(text: String, message: String) throws {
        let runner = try ConditionRunner()
        let problem = #expect(throws: PatternProblem.self) { try runner.compile(text) }
        #expect(problem?.message == message)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t", "DROP TABLE t", "CREATE TABLE t(a)",
        "ATTACH 'x' AS y", "DETACH y", "PRAGMA user_version", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
        "VACUUM", "ANALYZE", "REINDEX", "EXPLAIN SELECT 1", "ALTER TABLE t RENAME TO u",
        "WITH t AS (SELECT 1) SELECT 1",
        "REPLACE INTO t VALUES (1)", "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
        "SELECT 1 UNION SELECT 2",
    ])
    func `no statement is an expression`(text: String) throws {
        let runner = try ConditionRunner()
        #expect(throws: PatternProblem.self) { try runner.compile(text) }
        #expect(throws: PatternProblem.self) { try runner.compile("1; \(text)") }
        #expect(throws: PatternProblem.self) { try runner.compile("1) ; \(text) --") }
    }

    @Test(arguments: [
        "random()", "randomblob(8)", "zeroblob(1000000000)", "load_extension('x')", "writefile('/tmp/x', 'y')",
        "readfile('/etc/passwd')", "edit('x')", "changes()", "total_changes()", "last_insert_rowid()",
        "sqlite_version()", "sqlite_source_id()", "sqlite_compileoption_get(1)", "fts3_tokenizer('simple')",
        "now MATCH 'x'",
        "now REGEXP 'x'", "row_number() OVER ()", "sqlite_log(1, 'x')", "RAISE(ABORT, 'x')", "nothing(1)",
        "soundex('a')",
        "(SELECT 1 FROM sqlite_schema)", "(SELECT sql FROM sqlite_master)", "(SELECT 1 FROM sqlite_temp_master)",
        "EXISTS (SELECT 1 FROM pragma_database_list)", "(SELECT 1 FROM pragma_table_info('t'))",
        "(SELECT 1 FROM dbstat)",
        "(SELECT 1 FROM sqlite_stmt)", "(SELECT value FROM generate_series(1, 9))", "now IN sqlite_schema",
        "(SELECT 1 FROM json_each('[]'), sqlite_schema)", "(SELECT (SELECT 1 FROM sqlite_schema))",
        "(SELECT 1 FROM users)",
        "(WITH t AS (SELECT * FROM sqlite_schema) SELECT 1 FROM t)", "(DELETE FROM t)", "(PRAGMA user_version)",
        "(SELECT 1; SELECT 2)", "(INSERT INTO t VALUES (1) RETURNING 1)", "(SELECT fts5(1))",
        "(SELECT rtreecheck('x'))",
    ])
    func `nothing but pure functions can be reached`(text: String) throws {
        let runner = try ConditionRunner()
        #expect(throws: PatternProblem.self) { try runner.compile(text) }
        let fine = try runner.compile("1").evaluate(before: nil, after: nil, names: [], now: Timestamp(milliseconds: 0))
        #expect(fine == .value(.integer(1), isTrue: true))
    }

    @Test(arguments: [
        "(WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(x) FROM t)",
        "(WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT max(x) FROM t)",
        "(SELECT count(*) FROM json_each(after) a, json_each(after) b, json_each(after) c WHERE a.value = b.value)",
        "(SELECT count(*) FROM json_each(after) a WHERE (SELECT count(*) FROM json_each(after) WHERE value > a.value) > 0)",
    ])
    func `a bomb is stopped by the budget, and the next evaluation has a whole one`(text: String) throws {
        let runner = try ConditionRunner()
        let list = Array("[\((1...2000).map(String.init).joined(separator: ","))]".utf8)
        let condition = try runner.compile(text)
        for _ in 1...3 {
            runner.meter.beginWrite()
            let answer = condition.evaluate(before: nil, after: list, names: [], now: Timestamp(milliseconds: 0))
            #expect(Self.hasRunOut(answer, ofSteps: Limits.conditionStepsMax), "\(answer)")
        }
        let fine = try runner.compile("(SELECT count(*) FROM json_each(after))")
            .evaluate(before: nil, after: list, names: [], now: Timestamp(milliseconds: 0))
        #expect(fine == .value(.integer(2000), isTrue: true))
    }

    @Test func `a large document leaves fewer steps, and enough to visit a list that fills it`() throws {
        let numbers = Array("[\((1...11_000).map(String.init).joined(separator: ","))]".utf8)
        let runner = try ConditionRunner()
        let now = Timestamp(milliseconds: 0)
        let bomb = try runner.compile("(SELECT sum(a.value + b.value) FROM json_each(after) a, json_each(after) b)")
        let answer = bomb.evaluate(before: nil, after: numbers, names: [], now: now)
        #expect(
            Self.hasRunOut(answer, ofSteps: Limits.conditionStepsMax * 16_384 / numbers.count), "\(answer)")
        runner.meter.beginWrite()
        let search = try runner.compile("EXISTS (SELECT 1 FROM json_each(after) WHERE value = 11000)")
        #expect(search.evaluate(before: nil, after: numbers, names: [], now: now) == .value(.integer(1), isTrue: true))
    }

    @Test(arguments: [
        "replace(after, 'a', after)",
        "(WITH RECURSIVE t(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM t) SELECT max(length(x)) FROM t)",
        "after LIKE after", "after GLOB '*' || after", "hex(hex(hex(after)))", "json(after)", "after ->> '$['",
        "after ->> 'a'",
        "(SELECT group_concat(a.value || after) FROM json_each('[1,2,3,4,5,6,7,8,9]') a)", "abs(-9223372036854775808)",
        "(WITH RECURSIVE t(i, x) AS (SELECT 1, after UNION SELECT i + 1, x || i FROM t) SELECT max(x) FROM t)",
        "(WITH RECURSIVE t(i, x) AS (SELECT 1, after UNION SELECT i + 1, x FROM t) SELECT max(x) FROM t)",
        "(WITH RECURSIVE t(i, x) AS (SELECT 1, after UNION ALL SELECT i + 1, x FROM t) SELECT max(upper(x)) FROM t)",
        "(WITH RECURSIVE t(i, x) AS (SELECT 1, after UNION ALL SELECT i + 1, x FROM t) SELECT i FROM t ORDER BY x || i)",
        "json_array_length('[[[[')",
        "sum(9223372036854775807 + json_array_length('[1]'))" + " + abs(-9223372036854775807 - 1)",
    ])
    func `a value that grows beyond the bounds fails with a message`(text: String) throws {
        let condition = try ConditionRunner().compile(text)
        let document = Array(repeating: UInt8(ascii: "a"), count: 64 * 1024)
        let answer = condition.evaluate(before: nil, after: document, names: [], now: Timestamp(milliseconds: 0))
        guard case .failure(let message) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(!message.isEmpty && message != "not an error")
    }

    @Test func `a document beyond the bound is refused, and only where it is read`() throws {
        let runner = try ConditionRunner()
        let document = Array(repeating: UInt8(ascii: "1"), count: 256 * 1024 + 1)
        let now = Timestamp(milliseconds: 0)
        let reading = try runner.compile("after = 1").evaluate(before: nil, after: document, names: [], now: now)
        #expect(reading == .failure("an input was refused: string or blob too big"))
        let other = try runner.compile("now = 1").evaluate(before: nil, after: document, names: [], now: now)
        #expect(other == .value(.integer(0), isTrue: false))
    }

    @Test func `a deep or long expression is refused`() throws {
        let runner = try ConditionRunner()
        let deep = String(repeating: "(", count: 500) + "1" + String(repeating: ")", count: 500)
        let additions = Array(repeating: "1", count: 500).joined(separator: "+")
        let long = String(repeating: "1 + ", count: 4000) + "1"
        for text in [String(repeating: "NOT ", count: 500) + "1", additions, long, deep] {
            #expect(throws: PatternProblem.self) { try runner.compile(text) }
        }
        let arguments = Array(repeating: "1", count: 60).joined(separator: ",")
        #expect(throws: PatternProblem.self) { try runner.compile("max(\(arguments))") }
    }

    @Test func `wildcards by the dozen end in bounded time`() throws {
        let condition = try ConditionRunner().compile("after LIKE '\(String(repeating: "%a", count: 100))b'")
        let document = Array(repeating: UInt8(ascii: "a"), count: 64 * 1024)
        let clock = ContinuousClock()
        let taken = clock.measure {
            _ = condition.evaluate(before: nil, after: document, names: [], now: Timestamp(milliseconds: 0))
        }
        #expect(taken < .seconds(1))
    }
}
