package import Execution
package import JSON
package import Model
import Store

/// `POST /v1/broadcasts` with `dryRun`: the number of people that it would reach.
///
/// - Confinement: any
package struct PreviewBroadcast: ReadUseCase {
    let audience: BroadcastAudience
    let expires: Timestamp?

    package init(audience: BroadcastAudience, expires: Timestamp? = nil) {
        self.audience = audience
        self.expires = expires
    }

    package func perform(in context: ReadContext) throws -> Answer {
        try SendBroadcast.check(expires, "expires", at: context.now)
        return Answer(audience: audience, size: try audience.size(in: context.transaction))
    }

    /// The answer: `dryRun`, `audience` and `size`.
    package struct Answer: UseCaseAnswer {
        let audience: BroadcastAudience
        /// People in the audience.
        let size: Int64

        package func write(to reply: inout JSONWriter) {
            reply.member("dryRun", true)
            reply.member("audience", audience.text)
            reply.member("size", size)
        }
    }
}
