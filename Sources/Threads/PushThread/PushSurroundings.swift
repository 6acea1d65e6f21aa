package import Execution
package import Model
package import Push
package import Telemetry
package import ThreadMessages

/// Everything that the thread of pushes takes from the server that it belongs to.
///
/// - Confinement: any
package struct PushSurroundings {
    let mail: Mailboxes
    let epoch: Epoch
    let collections: TopicCollections
    let rules: AccessRules
    let tags: PushTagKey
    let clock: WallClock
    let metrics: Metrics
    let log: ServerLog

    /// - Parameter rules: the configured ones, in force until others are put.
    package init(
        mail: Mailboxes, epoch: Epoch, collections: TopicCollections, rules: AccessRules, tags: PushTagKey,
        clock: WallClock, metrics: Metrics, log: ServerLog
    ) {
        self.mail = mail
        self.epoch = epoch
        self.collections = collections
        self.rules = rules
        self.tags = tags
        self.clock = clock
        self.metrics = metrics
        self.log = log
    }
}
