package import Authentication
package import Execution
package import Journal
package import Model

/// The content that the writer found when it opened the database.
///
/// - Confinement: any
package struct OpenedDatabase: Sendable {
    package let epoch: Epoch
    package let head: Position
    /// The revocations in force.
    package let revocations: Revocations
    /// Users who may not come in: banned ones, and those whose accounts are closed.
    package let bans: [Restriction]
    /// The people who were erased.
    package let erased: ErasedNames
    /// The plurals of topic kinds: the configured ones, and those that the folder already has.
    package let collections: TopicCollections
    /// The newest entry of the journal that it has; nil on a node that was always alone.
    package let place: JournalPlace?
    /// The node that wrote that entry; nil when it is not known.
    package let author: String?
    /// The number of its newest migration.
    package let schema: Int

    package init(
        epoch: Epoch, head: Position, revocations: Revocations, bans: [Restriction] = [],
        erased: ErasedNames = ErasedNames(),
        collections: TopicCollections, place: JournalPlace? = nil, author: String? = nil, schema: Int = 0
    ) {
        self.place = place
        self.author = author
        self.schema = schema
        self.epoch = epoch
        self.head = head
        self.revocations = revocations
        self.bans = bans
        self.erased = erased
        self.collections = collections
    }
}
