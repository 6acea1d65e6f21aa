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

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard let entry = try context.transaction.revocations.find(id) else {
            throw Refusal(.notFound, "there is no revocation \(id)", field: "id")
        }
        try context.transaction.revocations.delete(id)
        context.transaction.note(.revocationLifted(entry.revocation.subject))
        var answer = entry.json
        answer["lifted"] = true
        answer["seq"] = .integer(try context.transaction.appendSilently().value)
        return answer
    }
}
