package import JSON
import Synchronization

/// The program that is installed where this one was started from: after an upgrade of the file it is not the one that runs.
///
/// One thread looks at it now and then, the cluster's thread reads it.
///
/// - Confinement: any
package final class InstalledProgram: Sendable {
    /// - Confinement: any
    package struct Facts: Sendable, Hashable {
        /// Its name and version; or why it cannot be run.
        package let program: String
        /// The number of its newest migration; zero when it does not say it.
        package let schema: Int
        package let path: String

        package init(program: String, schema: Int, path: String) {
            self.program = program
            self.schema = schema
            self.path = path
        }

        /// For `GET /v1/cluster`.
        package var json: JSONObject {
            ["program": .string(program), "schema": .integer(Int64(schema)), "path": .string(path)]
        }
    }

    private let facts = Mutex<Facts?>(nil)

    package init() {}

    /// Nil until the program was looked at.
    package var now: Facts? { facts.withLock { $0 } }

    /// Replaces the facts.
    package func set(_ new: Facts) { facts.withLock { $0 = new } }
}
