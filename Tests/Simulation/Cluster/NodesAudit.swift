import GRDB

/// Compares the databases of the nodes of a cluster that stand still.
/// - Confinement: the one thread
enum NodesAudit {
    /// Checks that all databases have the same rows in every table that nodes share.
    ///
    /// - Throws: ``Broken``
    static func checkEqual(_ machines: [Machine]) throws {
        guard let first = machines.first, machines.count > 1 else { return }
        let truth = try rows(of: first)
        for machine in machines.dropFirst() {
            let found = try rows(of: machine)
            for name in Set(truth.keys).union(found.keys).sorted() where truth[name] != found[name] {
                let own = Set(found[name] ?? [])
                let others = Set(truth[name] ?? [])
                let example = own.symmetricDifference(others).sorted().prefix(2).joined(separator: " and ")
                throw Broken("nodes \(first.number) and \(machine.number) differ in the table \(name): \(example)")
            }
        }
    }

    /// Runs until all nodes have the same entries of the journal.
    static func comeTogether(_ world: World) throws {
        for _ in 0..<40 {
            let places = try world.members.map { machine in
                try machine.inspect { try String.fetchOne($0, sql: "SELECT value FROM meta WHERE name = 'journal'") }
            }
            if Set(places).count == 1 { return }
            try world.settle(milliseconds: 237)
        }
        throw Broken("the nodes do not have the same entries, long after the last fault")
    }

    /// The rows of all tables as texts, in their order. The table `node` and the tables of SQLite are each node's own.
    static func rows(of machine: Machine) throws -> [String: [String]] {
        try machine.inspect { database in
            let names = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_schema
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'node'
                    """)
            let tables = try names.map { name in
                (name, try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\"").map(\.description).sorted())
            }
            return Dictionary(uniqueKeysWithValues: tables)
        }
    }
}
