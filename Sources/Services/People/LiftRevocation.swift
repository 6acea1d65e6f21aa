import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/revocations/ID`: what was revoked by mistake is valid again.
///
/// - Confinement: any
package struct LiftRevocation: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> Answer {
        guard let entry = try context.transaction.revocations.find(id) else {
            throw Refusal(.notFound, "there is no revocation \(id)", field: "id")
        }
        try context.transaction.revocations.delete(id)
        context.transaction.note(.revocationLifted(entry.revocation.subject))
        return Answer(entry: entry, position: try context.transaction.appendSilently())
    }

    /// The answer: `lifted` and `seq`.
    package struct Answer: UseCaseAnswer {
        let entry: RevocationEntry
        let position: Position

        package func write(to reply: inout JSONWriter) {
            entry.write(to: &reply)
            reply.member("lifted", true)
            reply.member("seq", position.value)
        }
    }
}
