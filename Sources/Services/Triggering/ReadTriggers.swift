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
    ///   - name: of one; nil for all.
    ///   - counts: what they did since the start, which stands beside the list of all.
    ///   - broken: those that are set aside, and why, which stands in their rows in the list.
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
                throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
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
