package import JSON
import Model
import Store

/// `GET /v1/rules`: the table in force; version 0 is the configured one.
///
/// - Confinement: any
package struct ReadRules: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let table = try context.rules.table(in: context.transaction)
        reply.member("version", table.version)
        reply.member("rules", .object(table.rules.json))
    }
}
