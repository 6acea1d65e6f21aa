package import Configuration
package import Execution
import JSON
import Model
import Notifying
package import Store
package import Telemetry
import Triggers

/// Reads what a start needs from the database and the configuration, and gives a new database its trigger table.
///
/// - Confinement: store
package enum FirstStart {
    /// The findings of a start.
    ///
    /// - Confinement: store
    package struct Content {
        /// Applies the writes.
        package let stateMachine: StateMachine
        /// The plurals of topic kinds.
        package let collections: TopicCollections
        /// The writes of the first leader; done already on a node that is alone.
        package let writes: FirstWrites
    }

    /// Copies a database whose tables are older than those of this program, before it changes them, unless the operator wants no copy.
    ///
    /// - Throws: errors of the database; ``DataDirectory/Problem`` when there is no room.
    package static func copyOlderTables(
        of directory: DataDirectory, _ configuration: ServerConfiguration, _ log: ServerLog
    ) throws {
        guard !configuration.backups.migratesWithoutCopy else { return }
        let stamp = configuration.clock.now().text.replacing(":", with: "-").prefix { $0 != "." }
        guard let copy = try Storage.copyOlderTables(of: directory, plan: .all, stamp: String(stamp)) else { return }
        log.warning(
            "copied the database before this program changes its tables; to go back, stop it and restore the copy with the older program",
            ["file": copy.path, "schema": "\(copy.schema)"], isChange: true)
    }

    /// Gives a database what it needs before it is served, and says in the log what of the configuration is not in force.
    ///
    /// A member writes nothing here: the first node that leads does.
    ///
    /// - Throws: ``StartProblem``, and errors of the database.
    package static func prepare(
        _ writer: Writer, _ configuration: ServerConfiguration, tally: TriggerTally, _ log: ServerLog
    ) throws -> Content {
        let isMember = configuration.cluster.isMember
        let (definitions, idle) = try triggers(configuration.triggers, writer, log)
        if !idle.isEmpty {
            log.warning(
                "the configured triggers are not in force: the folder has its own table; change it with watchwise trigger put",
                ["triggers": idle.joined(separator: " ")])
        }
        let writes = FirstWrites(triggers: definitions, preferences: configuration.preferences)
        if !isMember { try loadTriggers(definitions, into: writer) }
        let collections = try collections(configuration.collections, writer, log)
        let stateMachine = try StateMachine(
            triggerRows: try writer.read { try $0.triggers.all() }, collections: collections,
            rules: configuration.rules, tally: tally, pushesMessages: configuration.push.messages,
            editMilliseconds: configuration.editMilliseconds, limits: configuration.limits)
        if !isMember { try spread(configuration.preferences, into: writer, stateMachine, configuration.clock) }
        if try !configuration.rules.json.isEmpty && writer.read({ try $0.accessRules.find() }) != nil {
            log.warning("the configured access rules are not in force: others were set at run time")
        }
        if let reason = writer.epochRenewal {
            log.warning("a new epoch begins: clients fetch their state again", ["reason": reason])
        }
        return Content(stateMachine: stateMachine, collections: collections, writes: writes)
    }

    /// The configured tables, for a database that has never had some: another keeps what it has.
    ///
    /// - Returns: the rows for a new database; and names of configured rows that are not in force, since the folder has
    ///   another row there, or none.
    /// - Throws: ``StartProblem`` when a new database needs a table that cannot be read. One that has its table is served
    ///   without: that is only said.
    private static func triggers(
        _ sources: [TriggerSource]?, _ writer: Writer, _ log: ServerLog
    ) throws -> (definitions: [TriggerDefinition], idle: [String]) {
        let isNew = writer.head == .zero
        if isNew, sources == nil {
            log.info(
                "the trigger table is empty: nobody is notified of documents. 'watchwise trigger put NAME' takes a ready one",
                ["names": ReadyApplication.names])
        }
        guard sources != nil else { return ([], []) }
        let runner = try ConditionRunner()
        var definitions: [TriggerDefinition] = []
        for source in sources ?? [] {
            do {
                definitions += try source.definitions(runner)
            } catch let problem {
                if isNew { throw problem }
                log.warning(
                    "a configured trigger table cannot be read; the folder's own table is in force",
                    ["reason": problem.description])
            }
        }
        guard !isNew else { return (definitions, []) }
        let idle = try writer.read { transaction in
            try definitions.filter { try transaction.triggers.find($0.name) != $0.json.text }.map(\.name)
        }
        return ([], idle)
    }

    private static func loadTriggers(_ definitions: [TriggerDefinition], into writer: Writer) throws {
        guard !definitions.isEmpty else { return }
        _ = try writer.commit([definitions]) { definitions, transaction in
            for definition in definitions {
                let position = try transaction.appendSilently()
                try transaction.triggers.put(definition.name, row: definition.json.text, at: position)
            }
        } refuse: { _ in
        }
    }

    /// The plurals of topic kinds: those configured, and those that a folder of an earlier version keeps.
    private static func collections(
        _ configured: TopicCollections, _ writer: Writer, _ log: ServerLog
    ) throws -> TopicCollections {
        var collections = configured
        let kept = collections.keep(kindsOfBefore: try writer.read { try $0.topicKinds.before() })
        guard !kept.isEmpty else { return collections }
        let pairs = kept.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \"\($0.value)\"" }
        log.info(
            "these collections keep the names of a version that did not know English plurals; \"collections\" in the "
                + "configuration changes that",
            ["collections": "{\(pairs.joined(separator: ", "))}"])
        return collections
    }

    /// Gives the configured preferences to users that have chosen nothing, where that is not done yet.
    private static func spread(
        _ defaults: DefaultPreferences?, into writer: Writer, _ stateMachine: StateMachine, _ clock: WallClock
    ) throws {
        while try !writer.read({ try DefaultPreferences.areInForce(defaults, in: $0) }) {
            let request = WriteRequest(actor: .server, at: clock.now(), useCase: SpreadDefaultPreferences(defaults))
            let committed = try writer.commit([request]) { request, transaction in
                Result<EncodedAnswer, any Error>.success(try stateMachine.apply(request, in: transaction))
            } refuse: {
                .failure($0)
            }
            _ = try committed.items[0].outcome.get()
        }
    }
}
