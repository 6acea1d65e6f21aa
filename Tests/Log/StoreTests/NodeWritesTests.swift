import StoreTestSupport
import Testing

@testable import Log
@testable import Store

/// Each statement that writes is recorded, or is in the list of the writes of the node alone.
struct NodeWritesTests {
    /// The files that may run a statement of GRDB, or prepare one.
    private static let mayPrepare: Set = [
        "ReadAccess.swift", "ReadAccess+Statements.swift", "Writer+Apply.swift", "OlderDatabase.swift",
        "LogStatements.swift", "SubjectStatements.swift",
    ]
    @Test func `the tables see nothing of GRDB, and so cannot pass by the recorder`() {
        #expect(StatementSources.files.count > 80)
        let seeing = StatementSources.files.filter { $0.text.contains(/(?m)^(package |internal )?import GRDB$/) }.map(
            \.name)
        #expect(!seeing.contains { $0.contains("Table") && $0 != "Tables.swift" })
        #expect(!seeing.contains("ChatMemory.swift"))
        let reaching = StatementSources.files.filter { $0.text.contains("access.database") }.map(\.name)
        #expect(
            reaching == [
                "Tables.swift", "Writer+Apply.swift", "WriterConnection+Transactions.swift", "SubjectStatements.swift",
            ])
    }

    @Test func `statements of ours are prepared in six files`() {
        let preparing = StatementSources.files.filter { $0.text.contains(/(cachedStatement|makeStatement)\(/) }.map(
            \.name)
        #expect(Set(preparing) == Self.mayPrepare)
    }

    @Test func `everything that GRDB runs is a setting, an end of a transaction, a migration, or named`() {
        var found = 0
        for file in StatementSources.files {
            for match in file.text.matches(of: /execute\(sql: ([^)]*)/) {
                found += 1
                let sql = match.1
                let isSetting = sql.contains(/^"(PRAGMA|BEGIN|ROLLBACK)\b/)
                let isNamed = ["NodeWrites.trial", "NodeWrites.clearing"].contains(sql)
                let isMigration = file.name == "Migration.swift" && sql == "sql"
                #expect(isSetting || isNamed || isMigration, "\(file.name): \(sql)")
            }
        }
        #expect(found > 10)
    }

    @Test func `only the named statements of the node alone run without an order`() {
        let alone = StatementSources.files.filter { $0.text.contains("by: nil") }.map(\.name)
        #expect(alone == ["Writer.swift"])
        let calling = StatementSources.files.flatMap { file in
            file.text.matches(of: /writeAlone \{ try \$0\.(.*?) \}/).map { "\(file.name): \($0.1)" }
        }
        #expect(
            calling == [
                "Founding.swift: run(NodeWrites.divergence, [sentence])", "Writer.swift: noteUnflushed(isSo)",
                "Writer.swift: run(NodeWrites.probe, [32 * 1024])",
            ])
        let unnoted = StatementSources.files.flatMap { file in
            file.text.matches(of: /StatementInput\(([^)]*)\)/).filter { !$0.1.contains("noting:") }
                .map { "\(file.name): \($0.1)" }
        }
        #expect(
            Set(unnoted) == [
                "DocumentTable.swift: try access.findDocument(", "KeyTable.swift: try access.findKey(",
                "Writer+Apply.swift: prepared[run.text]",
                "WriterConnection+Transactions.swift: access.statements.begin",
                "WriterConnection+Transactions.swift: access.statements.commit",
                "OlderDatabase.swift: try database.cachedStatement(sql: NodeWrites.place",
                "OlderDatabase.swift: try database.cachedStatement(sql: NodeWrites.divergence",
            ])
    }

    @Test func `a probe leaves nothing in the tables that nodes share`() throws {
        let store = try TestStore()
        try store.writer.probe()
        #expect(try store.read { try $0.access.number("SELECT count(*) FROM node WHERE name = 'probe'") } == 1)
        #expect(try store.read { try $0.access.number("SELECT count(*) FROM meta WHERE name = 'probe'") } == 0)
    }
}
