@testable import Log
@testable package import Store

/// The folders of nodes that share a journal.
///
/// - Confinement: any
package enum NodeFolders {
    /// Puts a copy of a node's database into the folder of another one, which thereby has its epoch.
    package static func copy(_ original: DataDirectory, to other: DataDirectory) throws {
        try DatabaseCopy.copy(original.databasePath, to: other.databasePath) { true }
    }

    /// The rows that only one of two nodes has, a sentence each; those that each node writes by itself are not compared.
    package static func differences(_ one: DataDirectory, _ other: DataDirectory) throws -> [String] {
        try TableComparison(one.databasePath, other.databasePath).differences()
    }
}
