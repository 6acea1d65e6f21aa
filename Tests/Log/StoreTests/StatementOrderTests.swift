import TestSupport
import Testing

/// Statements that write do the same on every node that repeats them.
struct StatementOrderTests {
    @Test(arguments: [
        ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE until <= ? LIMIT 4)", ["LIMIT without ORDER BY"]),
        (
            "DELETE FROM a WHERE id IN (SELECT id FROM (SELECT id FROM a ORDER BY id) LIMIT ?)",
            ["LIMIT without ORDER BY"]
        ),
        ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE until <= ? ORDER BY until, id LIMIT 4)", []),
        ("INSERT INTO a SELECT random()", ["random()"]),
        ("UPDATE a SET at = datetime('now', '+1 day')", ["the time of the node's clock"]),
        ("UPDATE a SET at = CURRENT_TIMESTAMP", ["the time of the node's clock"]),
        ("UPDATE a SET n = changes() WHERE name = 'now and then'", ["changes()"]),
        ("UPDATE a SET changes = changes + 1, random = ?", []),
    ])
    func `a text that every node must repeat is judged`(_ sql: String, _ objections: [String]) {
        #expect(WrittenStatement(sql).objections == objections)
    }

    @Test func `no text of the log and of the tables chooses rows without an order, or guesses`() throws {
        var writes = 0
        // Migrations run on each node by themselves.
        for (name, text) in StatementSources.files where !name.hasPrefix("Schema/") {
            for sql in Self.literals(in: text)
            where sql.contains(/\b(INSERT|DELETE|UPDATE)\b/) || sql.hasPrefix("id IN (") {
                writes += 1
                #expect(WrittenStatement(sql).objections == [], "\(name): \(sql)")
            }
        }
        #expect(writes > 120)
    }

    /// The texts between quotes.
    private static func literals(in text: String) -> [String] {
        text.matches(of: /"""(?s:(.*?))"""|"([^"\n]*)"/).map { String($0.1 ?? $0.2 ?? "") }
    }
}
