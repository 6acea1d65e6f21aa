import Journal
// The tables are used together with the log: a module that sees them sees the log.
@_exported public import Log
package import Model

extension TablePlan {
    /// All tables of this server.
    package static let all = TablePlan(migrations: Schema.migrations) { try SubjectMemory(of: $0) }
}

// The same with all tables of this server.
extension Storage {
    /// As ``openWriter(_:plan:isMember:)``.
    package static func openWriter(_ directory: DataDirectory, isMember: Bool = false) throws -> Writer {
        try openWriter(directory, plan: .all, isMember: isMember)
    }
}

extension Founding {
    /// The number of the newest migration of this program.
    package static var schema: Int { Schema.migrations.count }

    /// As ``open(_:plan:)``.
    package static func open(_ directory: DataDirectory) throws -> Writer { try open(directory, plan: .all) }

    /// As ``renewEpoch(_:plan:)``.
    package static func renewEpoch(_ directory: DataDirectory) throws -> Epoch {
        try renewEpoch(directory, plan: .all)
    }
}

extension OlderDatabase {
    /// As ``init(_:migrations:)``.
    package convenience init(_ directory: DataDirectory) throws {
        try self.init(directory, migrations: Schema.migrations)
    }
}

extension Arrival {
    /// As ``init(in:migrations:)``.
    package convenience init(in directory: DataDirectory) throws {
        try self.init(in: directory, migrations: Schema.migrations)
    }
}
