import ClientProtocol
package import Execution
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

    package func perform(in context: ReadContext) throws -> Answer {
        let triggers = context.transaction.triggers
        guard let name else { return .all(rows: try triggers.all(), counts: counts, broken: broken) }
        guard let row = try triggers.find(name) else {
            throw Refusal.noTrigger(name)
        }
        return .one(try StoredJSON.object(row, place: "triggers.row"))
    }

    /// The answer: `triggers` and `counts`.
    package enum Answer: UseCaseAnswer {
        case one(JSONObject)
        case all(rows: [String], counts: [(name: String, counts: TriggerTally.Counts)], broken: [String: String])

        package func write(to reply: inout JSONWriter) {
            switch self {
            case .one(let row): row.write(to: &reply)
            case .all(let rows, let counts, let broken):
                reply.array("triggers") { reply in
                    for row in rows {
                        let reason = broken.isEmpty ? nil : broken[TriggerEngine.name(ofRow: row)]
                        guard let reason else {
                            reply.raw(row)
                            continue
                        }
                        var members = (try? StoredJSON.object(row, place: "triggers.row")) ?? [:]
                        members["broken"] = .string(reason)
                        reply.object(members)
                    }
                }
                reply.name("counts")
                reply.beginObject()
                for (name, counts) in counts { reply.member(name, counts.json) }
                reply.endObject()
            }
        }
    }
}
