import ClientProtocol
package import JSON
import Model
import Store

/// `GET /v1/triggers` and `GET /v1/triggers/NAME`.
///
/// - Confinement: any
package struct ReadTriggers: ReadUseCase {
    let name: String?
    let counts: [(name: String, counts: TriggerTally.Counts)]
    let broken: [String: String]

    /// - Parameters:
    ///   - name: the name of a trigger; nil for all.
    ///   - counts: what they did since the start, for the list of all.
    ///   - broken: the stopped ones, and why, for their rows in the list.
    package init(
        name: String?,
        counts: [(name: String, counts: TriggerTally.Counts)] = [],
        broken: [String: String] = [:]
    ) {
        self.name = name
        self.broken = broken
        self.counts = counts
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let triggers = context.transaction.triggers
        if let name {
            guard let row = try triggers.find(name) else {
                throw Refusal.noTrigger(name)
            }
            for (name, value) in try StoredJSON.object(row, place: "triggers.row").members {
                reply.member(name, value)
            }
            return
        }
        reply.name("triggers")
        reply.beginArray()
        for row in try triggers.all() {
            let reason = broken.isEmpty ? nil : broken[TriggerEngine.name(ofRow: row)]
            guard let reason else {
                reply.raw(Array(row.utf8))
                continue
            }
            var members = (try? StoredJSON.object(row, place: "triggers.row")) ?? [:]
            members["broken"] = .string(reason)
            reply.value(.object(members))
        }
        reply.endArray()
        reply.name("counts")
        reply.beginObject()
        for (name, counts) in counts { reply.member(name, counts.json) }
        reply.endObject()
    }
}
