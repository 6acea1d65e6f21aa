import Authentication
package import ClientProtocol
import Digits
import EventLoop
import JSON
package import Model
import Quotas
package import Services
import Store
import Synchronization
import Telemetry
package import ThreadMessages

/// A command that came by `POST /v1/commands`, and the user who sent it.
///
/// - Confinement: any
package struct PostedCommand: Sendable {
    package let envelope: CommandEnvelope
    /// Bytes that it takes in memory.
    package let bytes: Int
    /// Its cost.
    package let weight: Int
    package let user: UserID
    /// The roles in the token.
    package let roles: Set<RoleName>
    /// The `jti` and the `iat` of the token.
    private let tokenID: String?
    private let tokenIssued: Timestamp?
    /// Whether an administrator sent it: their work is not bounded.
    package let isAdmin: Bool
    /// The triggers through which it came about, where a webhook's receiver writes back with the token of an
    /// administrator. Others are not believed: they could keep triggers from seeing what they write.
    package let chain: TriggerChain

    /// - Throws: `Refusal` when the token or the command is not what it must be.
    package init(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) {
        let claims = try call.userClaims(at: door)
        user = claims.subject
        roles = claims.roles
        (tokenID, tokenIssued) = (claims.tokenID, claims.issuedAt)
        isAdmin = claims.isAdmin
        chain = claims.isAdmin ? try call.chain() : .none
        let body = ByteOrderMark.skipped(in: call.body)
        switch CommandEnvelope.decode(body) {
        case .success(let decoded):
            envelope = door.settings.isMember ? decoded.keeping(body) : decoded
            bytes = envelope.heldBytes
            weight = envelope.weight + call.body.count / Limits.bytesPerWeight
        case .failure(let refused): throw refused.refusal
        }
    }

    /// The command as another node can take it.
    package var source: HandedWork {
        .command(
            HandedText(
                envelope.text ?? [], device: nil, deviceLanguage: nil, tokenID: tokenID, tokenIssued: tokenIssued,
                chain: chain, isPaced: !isAdmin))
    }

    /// The answer: the reply that a session would get, without `re` where the command has no id.
    package func reply(_ body: [UInt8]) -> [UInt8] {
        if let id = envelope.id { return Reply.ok(re: id, encoded: body) }
        var writer = JSONWriter(capacity: body.count + 8)
        writer.beginObject()
        writer.name("ok")
        writer.raw(body)
        Reply.warn(envelope.warning, in: &writer)
        writer.endObject()
        return writer.bytes
    }
}
