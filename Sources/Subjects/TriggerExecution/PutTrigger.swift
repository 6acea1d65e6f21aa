package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import Triggers
import Webhooks

/// `PUT /v1/triggers/NAME`: a row of the trigger table, new or in place of the old one.
///
/// - Confinement: any
package struct PutTrigger: WriteUseCase {
    let definition: TriggerDefinition
    package let key: WriteKey?

    /// Checks the form of the row. `perform` refuses a row that cannot be compiled.
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
            try definition.title.checkVisible(field: "title")
        } catch {
            throw Refusal(error)
        }
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("trigger.put")
        fingerprint.add(definition.json.text)
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        do {
            try context.engine.check(definition)
        } catch {
            throw Refusal(error)
        }
        let row = definition.json.text
        context.engine.forgive(definition.name)
        if let url = definition.webhook { try context.transaction.webhooks.enableEndpoint(url: url) }
        // A row that is put again unchanged keeps its position: earlier changes are not new to it.
        let standing = try context.transaction.triggers.position(of: definition.name, row: row)
        let position = try standing ?? put(row, in: context)
        var answer: JSONObject = ["name": .string(definition.name), "seq": .integer(position.value)]
        let doubts = [doubt(in: context)].compactMap { $0 } + LanguageDoubts.of(definition)
        if !doubts.isEmpty { answer["warnings"] = .array(doubts.map { .string($0) }) }
        return answer
    }

    /// A warning about an audience whose topics no path of a follow names.
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

    /// Deletes the state of the earlier row, unless it is put again unchanged, and its schedules, if the new row would
    /// not have them.
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
    /// The refusal of a row: the column, and what is wrong with it.
    init(_ problem: TriggerProblem) {
        self = Refusal(.badRequest, problem.sentence, field: problem.field)
    }
}
