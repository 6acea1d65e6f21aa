import GRDBSQLite
import Model
import TestSupport
import Testing
import Triggers

/// Our own functions compared with SQLite's functions of the same names.
struct ConditionFunctionTests {
    /// A connection without a database, for SQLite's own functions.
    @safe
    private final class Plain {
        private var connection: OpaquePointer?

        init() { unsafe sqlite3_open(":memory:", &connection) }
        deinit { unsafe sqlite3_close(connection) }

        /// The value as SQL writes it; nil when it fails.
        func value(_ expression: String) -> String? {
            var statement: OpaquePointer?
            guard unsafe sqlite3_prepare_v2(connection, "SELECT quote(\(expression))", -1, &statement, nil) == SQLITE_OK
            else { return nil }
            defer { unsafe sqlite3_finalize(statement) }
            guard unsafe sqlite3_step(statement) == SQLITE_ROW, let text = unsafe sqlite3_column_text(statement, 0)
            else { return nil }
            return unsafe String(cString: text)
        }
    }

    private static func ours(_ expression: String, _ runner: ConditionRunner) throws -> String? {
        let outcome = try runner.compile("quote(\(expression))").evaluate(
            before: nil, after: nil, names: [], now: Timestamp(milliseconds: 0))
        guard case .value(.text(let text), _) = outcome else { return nil }
        return text
    }

    private static let values = [
        "NULL", "''", "'a'", "'abc'", "'ABC'", "'aXbXc'", "'äöü'", "'Ä'", "'日本語'", "'a%b'", "'a_b'", "'%'", "1", "1.5",
        "-12", "x'00ff'", "x'616263'", "'  a  '", "'aaab'", "'[a]'", "'a*b?'", "'😀x😀'", "' '", "'\\'",
    ]

    @Test func `functions give the same as in SQLite for all pairs of unusual values`() throws {
        let (plain, runner) = (Plain(), try ConditionRunner())
        for one in Self.values {
            for expression in ["trim(\(one))", "ltrim(\(one))", "rtrim(\(one))"] {
                #expect(try Self.ours(expression, runner) == plain.value(expression), "\(expression)")
            }
            for other in Self.values {
                for expression in [
                    "instr(\(one), \(other))", "trim(\(one), \(other))", "ltrim(\(one), \(other))",
                    "rtrim(\(one), \(other))", "\(one) LIKE \(other)", "\(one) GLOB \(other)",
                    "replace(\(one), \(other), 'zz')", "replace(\(one), \(other), '')",
                    "\(one) LIKE \(other) ESCAPE '\\'", "\(one) LIKE 'a%' ESCAPE \(other)",
                    "\(one) NOT LIKE \(other)", "json_patch(\(one), \(other))",
                ] {
                    #expect(try Self.ours(expression, runner) == plain.value(expression), "\(expression)")
                }
            }
        }
    }

    @Test(arguments: [
        #"json_patch('{"a":1,"b":{"c":2}}', '{"b":{"c":null,"d":[1]},"e":2}')"#,
        #"json_array(json_patch('{"a":1}', '{"b":2}'), 1)"#, #"json_patch('{', '{}')"#,
        #"json_patch('[1]', '{"a":null}')"#, #"json_patch(NULL, '{}')"#, #"json_type(json_patch('{}', '3'))"#,
        "'abc' GLOB '[a-c][^x]?'", "'a]' GLOB 'a[]]'", "'a-' GLOB 'a[-x]'", "'a-' GLOB 'a[x-]'", "'a' GLOB '['",
        "'a' GLOB '[a'", "'' GLOB '['", "'a' GLOB '[]'", "'é' GLOB '[à-ï]'", "'b' GLOB '[c-a]'", "'^' GLOB '[^^]'",
        "'x^' GLOB 'x[a^]'", "'K' LIKE 'k'", "'É' LIKE 'é'", "'a%c' LIKE 'ab%c' ESCAPE 'b'", "'x' LIKE 'x!' ESCAPE '!'",
        "'a' LIKE '%' ESCAPE '%'", "'%' LIKE '%%' ESCAPE '%'", "'_a' LIKE '__a' ESCAPE '_'",
        "'abc' LIKE 'a' || char(0) || 'x'", "'a' || char(0) || 'b' LIKE 'a'", "instr(x'c3a9', x'a9')",
        "instr('é', CAST(x'a9' AS TEXT))", "instr('aéb', 'b')", "trim('éaé', 'é')", "rtrim('日本', '本')",
    ])
    func `an expression gives the same as in SQLite`(expression: String) throws {
        #expect(try Self.ours(expression, ConditionRunner()) == Plain().value(expression))
    }

    @Test func `random patterns match what they match in SQLite`() throws {
        let (plain, runner) = (Plain(), try ConditionRunner())
        var random = SeededRandom(seed: 13)
        for _ in 0..<3000 {
            func text(_ letters: String, _ length: Int) -> String {
                let places = 0..<Int.random(in: 0...length, using: &random)
                return String(places.compactMap { _ in letters.randomElement(using: &random) })
            }
            let subject = text("aAbBéß-]", 10)
            let expression =
                [
                    "'\(subject)' LIKE '\(text("aAbé%_%", 8))'", "'\(subject)' GLOB '\(text("aAbé*?[]^-", 8))'",
                    "instr('\(subject)', '\(text("abé", 3))')", "trim('\(subject)', '\(text("abé", 3))')",
                    "replace('\(subject)', '\(text("abé", 2))', 'xyz')",
                ].randomElement(using: &random) ?? ""
            #expect(try Self.ours(expression, runner) == plain.value(expression), "\(expression)")
        }
    }
}
