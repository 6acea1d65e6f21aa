package import Authentication
package import Execution
package import Model

/// The content that the writer found when it opened the database.
///
/// - Confinement: any
package struct OpenedDatabase: Sendable {
    package let epoch: Epoch
    package let head: Position
    /// The revocations in force.
    package let revocations: Revocations
    /// The plurals of topic kinds: the configured ones, and those that the folder already has.
    package let collections: TopicCollections

    package init(epoch: Epoch, head: Position, revocations: Revocations, collections: TopicCollections) {
        self.epoch = epoch
        self.head = head
        self.revocations = revocations
        self.collections = collections
    }
}
