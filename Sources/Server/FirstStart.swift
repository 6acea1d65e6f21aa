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
    /// - Throws: ``StartProblem`` when a new database needs a table that cannot be read. One that has its table is served
    ///   without: that is only said.
    static func loadTriggers(_ sources: [TriggerSource]?, into writer: Writer, _ log: ServerLog) throws -> [String] {
        let isNew = writer.head == .zero
        guard isNew || sources != nil else { return [] }
        let runner = try ConditionRunner()
        var definitions: [TriggerDefinition] = []
        for source in sources ?? [.ready(.filmNetwork)] {
            do {
                definitions += try source.definitions(runner)
            } catch let problem {
                if isNew { throw problem }
                log.warning(
                    "a configured trigger table cannot be read; the folder has its own, which is in force",
                    ["reason": problem.description])
            }
        }
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

    /// The plurals of topic kinds: those configured, and those that a folder of an earlier version keeps.
    static func collections(
        _ configured: TopicCollections, _ writer: Writer, _ log: ServerLog
    ) throws -> TopicCollections {
        var collections = configured
        let kept = collections.keep(kindsOfBefore: try writer.read { try $0.topicKinds.before() })
        guard !kept.isEmpty else { return collections }
        let pairs = kept.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
        log.info(
            "these collections are called as before this version knew English plurals; \"collections\" in the "
                + "configuration says otherwise",
            ["collections": "{\(pairs.joined(separator: ", "))}"])
        return collections
    }
}
