import GRDB
@testable import PersonalData
import StoreTestSupport
import Testing

@testable import Log
@testable import Store

/// The declarations of tables, against the tables that the migrations make.
struct TableDeclarationTests {
    private struct Column {
        let table: TableName
        let name: String
        let type: String
        /// The place in the key, from 1 on; zero outside of it.
        let place: Int
    }

    private static func tables(of database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .filter { !$0.hasPrefix("sqlite_") && !$0.hasPrefix("grdb_") }
    }

    private static func columns(of table: TableName, in database: Database) throws -> [Column] {
        try Row.fetchAll(database, sql: "SELECT name, type, pk FROM pragma_table_info(?)", arguments: [table.rawValue])
            .map { Column(table: table, name: $0["name"], type: $0["type"], place: $0["pk"]) }
    }

    private func allColumns() throws -> [Column] {
        try TestStore().read { transaction in
            try TableName.allCases.flatMap { try Self.columns(of: $0, in: transaction.database) }
        }
    }

    @Test func `every table of the database has a name, and so a declaration`() throws {
        let tables = try TestStore().read { try Self.tables(of: $0.database) }
        #expect(tables == TableName.allCases.map(\.rawValue).sorted())
    }

    @Test func `a declaration has each column of its table once, and its key`() throws {
        let all = try allColumns()
        for table in TableName.allCases {
            let columns = all.filter { $0.table == table }
            let declared = DeclaredTables[table].contents.map(\.column)
            #expect(declared.sorted() == columns.map(\.name).sorted(), "\(table)")
            let key = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
            #expect(DeclaredTables[table].key == key, "\(table)")
        }
    }

    @Test func `a text is declared as a text, and a number as a number`() throws {
        for column in try allColumns() {
            let content = try #require(DeclaredTables[column.table].contents.first { $0.column == column.name }).content
            switch content {
            case .number, .person: #expect(column.type == "INTEGER", "\(column.table).\(column.name)")
            case .trace, .text: #expect(column.type == "TEXT", "\(column.table).\(column.name)")
            }
        }
    }

    @Test func `a number with the name of a person or a stream is declared as a person`() throws {
        let people =
            #/(?:\w+_)?(?:user|person|member|follower|author|other|owner|actor|reporter|sender|reader|writer|stream|device|second)(?:_id)?/#
        let found = try allColumns().filter { $0.type == "INTEGER" && $0.name.wholeMatch(of: people) != nil }
        #expect(found.count > 30)
        for column in found {
            let content = try #require(DeclaredTables[column.table].contents.first { $0.column == column.name }).content
            guard case .person = content else {
                Issue.record("\(column.table).\(column.name) is declared as \(content)")
                continue
            }
        }
    }

    @Test func `a table with a trace says what becomes of its rows, and no other one does`() {
        for table in TableName.allCases {
            let hasTrace = DeclaredTables[table].contents.contains {
                if case .trace = $0.content { true } else { false }
            }
            #expect(hasTrace == (DeclaredTables[table].traces != .none), "\(table)")
        }
        let steps = TableName.allCases.compactMap { table -> TraceStep? in
            if case .step(let step) = DeclaredTables[table].traces { step } else { nil }
        }
        #expect(Set(steps) == Set(TraceStep.allCases))
        // The history says who wrote something, and the tables after it ask.
        let order = TableName.allCases
        #expect(order.firstIndex(of: .documentVersions) ?? 0 < order.firstIndex(of: .schedules) ?? 0)
    }

    @Test func `lines of an export and sweeps read the table that declares them`() throws {
        try TestStore().read { transaction in
            let database = transaction.database
            for table in TableName.allCases {
                if case .lines(let lines) = DeclaredTables[table].export {
                    #expect(!lines.isEmpty)
                    for line in lines {
                        let plan = try Row.fetchAll(
                            database, sql: "EXPLAIN QUERY PLAN " + line.query(omitsOthers: true),
                            arguments: [1, "alice", ""])
                        #expect(!plan.isEmpty)
                        #expect(line.query(omitsOthers: false).contains(table.rawValue), "\(table)")
                    }
                }
            }
        }
        #expect(SweptRows.all.count > 8)
        let kinds = Set(DeclaredTables.exportedLines.map(\.kind))
        #expect(kinds.isSuperset(of: ["profile", "block", "ban", "restraint", "snooze", "report", "key"]))
    }
}
