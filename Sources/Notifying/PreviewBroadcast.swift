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

    package func perform(in context: ReadContext) throws -> JSONObject {
        try SendBroadcast.check(expires, "expires", at: context.now)
        let size = try audience.size(in: context.transaction)
        return ["dryRun": true, "audience": .string(audience.text), "size": .integer(size)]
    }
}
