import JSON
import Model
import Services
import Store
import Triggers

/// What a new database is given: its trigger table.
///
/// - Confinement: store
enum FirstStart {
    /// Loads the configured tables, or the film network's, once: a database that has had some keeps what it has.
    ///
    /// - Returns: names of configured rows that are not in force, since the folder has another row there, or none.
    /// - Throws: ``StartProblem`` when a table cannot be read.
    static func loadTriggers(_ sources: [TriggerSource]?, into writer: Writer) throws -> [String] {
        let isNew = writer.head == .zero
        guard isNew || sources != nil else { return [] }
        let runner = try ConditionRunner()
        let definitions = try (sources ?? [.ready(.filmNetwork)]).flatMap { try $0.definitions(runner) }
        guard isNew else {
            return try writer.read { transaction in
                try definitions.filter { try transaction.triggers.find($0.name) != $0.json.text }.map(\.name)
            }
        }
        _ = try writer.commit([definitions]) { definitions, transaction in
            for definition in definitions {
                let position = try transaction.appendSilently()
                try transaction.triggers.put(definition.name, row: definition.json.text, at: position)
            }
        } refuse: { _ in
        }
        return []
    }
}
