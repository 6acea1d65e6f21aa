package import Execution
package import JSON
import Model
import Store

/// `GET /v1/rules`: the table in force; version 0 is the configured one.
///
/// - Confinement: any
package struct ReadRules: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> Answer {
        let table = try context.rules.table(in: context.transaction)
        return Answer(version: table.version, rules: table.rules)
    }

    /// The answer: `version` and `rules`.
    package struct Answer: UseCaseAnswer {
        let version: Int64
        let rules: AccessRules

        package func write(to reply: inout JSONWriter) {
            reply.member("version", version)
            reply.member("rules", .object(rules.json))
        }

        package var fact: AnswerFact { .version(version) }
    }
}
