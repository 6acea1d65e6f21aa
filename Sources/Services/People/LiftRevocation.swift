import ClientProtocol
package import JSON
import Model
import Store

/// `DELETE /v1/revocations/ID`: what was revoked by mistake is worth something again.
///
/// - Confinement: any
package struct LiftRevocation: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard let entry = try context.transaction.revocations.find(id) else {
            throw Refusal(.notFound, "there is no revocation \(id)", field: "id")
        }
        try context.transaction.revocations.delete(id)
        context.transaction.note(.revocationLifted(entry.revocation.subject))
        entry.write(to: &reply)
        reply.member("lifted", true)
        reply.member("seq", try context.transaction.appendSilently().value)
    }
}
