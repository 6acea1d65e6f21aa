package import Authentication
package import Model
package import Services

/// What the writer has found when it opened the database.
///
/// - Confinement: any
package struct OpenedDatabase: Sendable {
    package let epoch: Epoch
    package let head: Position
    /// The revocations in force.
    package let revocations: Revocations
    /// The configured plurals of topic kinds, and those that the folder brings along.
    package let collections: TopicCollections

    package init(epoch: Epoch, head: Position, revocations: Revocations, collections: TopicCollections) {
        self.epoch = epoch
        self.head = head
        self.revocations = revocations
        self.collections = collections
    }
}
