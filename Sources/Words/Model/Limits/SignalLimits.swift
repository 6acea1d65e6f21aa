/// The bounds of messages between nodes that nobody keeps, each with its reason.
///
/// - Confinement: any
package enum SignalLimits {
    /// Bytes of one message: a quarter of a NATS server's default, and little enough that nothing waits long after it.
    package static let messageBytesMax = 256 << 10
    /// Time for which changes of presence are collected: many sessions that begin at once are one message.
    package static let presencePauseMilliseconds: Int64 = 100
    /// Time between two lists of all users: for so long a lost change stays unknown.
    package static let listMilliseconds: Int64 = 10_000
    /// Time between two messages of one list, so that other signals get through.
    package static let listPauseMilliseconds: Int64 = 50
    /// The least time between two lists, however many nodes appear.
    package static let listAgainMilliseconds: Int64 = 1_000
    /// A node with nothing to say says after this time that it is there.
    package static let stillThereMilliseconds: Int64 = 3_000
    /// A node that says nothing for so long has no sessions any more, as far as the others know: four lost messages.
    package static let silentMilliseconds: Int64 = 15_000
    /// Events and their bytes that a node sends the others in a second: beyond that they are dropped, as on one node.
    package static let eventsPerSecond = 2_000
    package static let eventBytesPerSecond = 4 << 20
    /// Time for the answers of other nodes to the question which users look. A push too many is better than a late one.
    package static let lookingMilliseconds: Int64 = 100
    /// Time for the loops to answer another node's question; that node has stopped waiting before.
    package static let answeringMilliseconds: Int64 = 1_000
    /// Questions of other nodes that are being answered at a time.
    package static let answeringMax = 1_000
}
