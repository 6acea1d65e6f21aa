package import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `PUT /v1/triggers/NAME`: a row of the trigger table, new or over the old one.
///
/// - Confinement: any
package struct PutTrigger: WriteUseCase {
    let definition: TriggerDefinition
    package let key: WriteKey?

    /// Checks the row's form; what only the compilation shows is refused when it is performed.
    ///
    /// - Throws: `Refusal` naming the column.
    package init(name: String, row: JSONObject, key: WriteKey?) throws(Refusal) {
        var row = row
        if let written = row["name"], written != .string(name) {
            throw Refusal.badRequest(field: "name", "must be \(name), as in the address, or absent")
        }
        row["name"] = .string(name)
        do {
            definition = try TriggerDefinition(json: .object(row))
        } catch {
            throw Refusal(error)
        }
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("trigger.put")
        fingerprint.add(definition.json.text)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        do {
            try context.engine.check(definition)
        } catch {
            throw Refusal(error)
        }
        let row = definition.json.text
        context.engine.forgive(definition.name)
        if let url = definition.webhook { try context.transaction.enableEndpoint(url: url) }
        // What is put again as it is stays where it is in time: what was before it is not new to it.
        let standing = try context.transaction.triggers.position(of: definition.name, row: row)
        let position = try standing ?? put(row, in: context)
        reply.member("name", definition.name)
        reply.member("seq", position.value)
        if let warning = doubt(in: context) { reply.member("warnings", .array([.string(warning)])) }
    }

    /// What to think of an audience that nobody reaches by the paths of follows.
    private func doubt(in context: WriteContext) -> String? {
        for plural in definition.audience.followedKinds {
            guard let kind = context.collections.kind(ofCollection: plural), kind != plural else { continue }
            return "audience: '\(plural)' is a plural: a document \(plural)/ID/followers/USER makes USER follow "
                + "\(kind):ID; "
                + "write followers:\(kind):…"
        }
        return nil
    }

    private func put(_ row: String, in context: WriteContext) throws -> Position {
        let position = try context.transaction.appendSilently()
        try forgetEarlier(in: context)
        try context.transaction.triggers.put(definition.name, row: row, at: position)
        try context.engine.reload(rows: context.transaction.triggers.all())
        return position
    }
}

extension PutTrigger {
    /// Drops what the earlier row remembers, unless it is put again unchanged, and what it has scheduled where the new one
    /// would not have.
    private func forgetEarlier(in context: WriteContext) throws {
        let earlier = context.engine.trigger(named: definition.name)?.definition
        guard earlier != nil || context.engine.broken[definition.name] != nil, earlier != definition else { return }
        try context.transaction.triggerStates.forget(definition.name)
        guard let earlier, definition.isEnabled, definition.at != nil, definition.path == earlier.path,
            definition.event == earlier.event, definition.audience == earlier.audience,
            definition.webhook == earlier.webhook
        else {
            return try context.transaction.triggers.unschedule(trigger: definition.name)
        }
    }
}

extension Refusal {
    /// A row of the trigger table that cannot be: the column, and what is wrong with it.
    init(_ problem: TriggerProblem) {
        self = Refusal(.badRequest, problem.message, field: problem.field)
    }
}
