package import Execution
package import JSON
import Model
import Store

/// `POST /v1/broadcasts` with `dryRun`: the number of people that it would reach.
///
/// - Confinement: any
package struct PreviewBroadcast: ReadUseCase {
    let order: BroadcastOrder
    /// The number of people who are online.
    let online: Int

    package init(_ order: BroadcastOrder, online: Int = 0) {
        self.order = order
        self.online = online
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        try order.check(at: context.now)
        let size = try order.audience.size(in: context.transaction, online: online, at: context.now)
        return ["dryRun": true, "audience": .string(order.audience.text), "size": .integer(size)]
    }
}
