package import JSON
package import Model
import Store

/// `POST /v1/broadcasts` with `dryRun`: whom it would reach.
///
/// - Confinement: any
package struct PreviewBroadcast: ReadUseCase {
    let audience: BroadcastAudience
    let expires: Timestamp?

    package init(audience: BroadcastAudience, expires: Timestamp? = nil) {
        self.audience = audience
        self.expires = expires
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        try SendBroadcast.check(expires, "expires", at: context.now)
        reply.member("dryRun", true)
        reply.member("audience", audience.text)
        reply.member("size", try audience.size(in: context.transaction))
    }
}
