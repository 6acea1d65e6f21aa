package import Authentication
package import ClientProtocol
package import Crypto
package import EventLoop
package import Fanout
package import Model
package import Services

/// Messages to a loop.
///
/// - Confinement: any
package enum LoopMessage: Sendable {
    /// A transaction is on the disk. `kept` are the steps that others than the author may read later, `cost` is their
    /// share of the bound on recent commits, and `head` is the log's head after the transaction; `heavy` is notified
    /// when it is delivered; `at` is when it was published, by `BootClock`, in microseconds.
    case committed([LoopStep], kept: [KeptStep], cost: Int, head: Position, heavy: HeavyDelivery?, at: Int64)
    /// A read is done, or a write was refused before it began.
    case outcome(ConnectionAddress, Ticket, Outcome)
    /// The first reading for a session, or for a command over HTTP; nil when the user is not known yet.
    case started(ConnectionAddress, SessionReading?)
    /// A further page of the log.
    case page(ConnectionAddress, SessionReading)
    /// The reader failed at a start or a page: the session must end.
    case readingFailed(ConnectionAddress)
    /// A user's counts, computed again at a position.
    case counts(StreamID, UnreadCounts, asOf: Position)
    /// The reader failed at a user's counts.
    case countingFailed(StreamID)
    /// The documents of a path that a session wants to watch; nil when changes of the path are not logged yet.
    case watched(ConnectionAddress, Result<WatchSnapshot?, Refusal>)
    /// The people that a session asked to observe, without those that it may not see.
    case watch(ConnectionAddress, Ticket, [Person])
    /// A signal outside of the log, for the sessions of these inboxes.
    case signal([StreamID], FramedSignal)
    /// The first session of a user appeared on a loop, or the last one left.
    case presence(Person, isOnline: Bool, loop: Int, at: Timestamp)
    /// Users came online on other nodes, or went offline there.
    case presenceElsewhere([PresenceElsewhere])
    /// A device connected to another node; an older connection of the same device ends.
    case claimedElsewhere(NodeClaim)
    /// A session of another node has a claim to a device with this greater number: the session here connects again.
    case outdated(OutdatedClaim)
    /// Another node asks who looks; the loop answers with one ``OwnSignal/looked(_:)``.
    case lookingElsewhere(PushQuestion)
    /// A device connected; an older connection of the same device ends.
    case claimed(DeviceClaim)
    /// The sender of pushes asks who looks; the loop answers with one ``PushLooking``.
    case looking(PushQuestion)
    /// An issuer has these keys from now on.
    case issuer(TrustedIssuer)
    /// The server's own tokens are signed with the first of these secrets, and accepted with each, from now on.
    case secrets([ServerSecret])
    /// Writes that another node has handed to this one, which leads: they are decoded and submitted as if they had come
    /// here, and their answers go to the node. `term` is that of this node's leadership, for ``HandedOrigin/term``.
    case handed([HandedCommand], from: String, term: UInt64)
    /// New connections get this certificate; open ones keep theirs.
    case certificate(TLSContext)
    /// News about the copy of the database that a connection asked for.
    case backup(ConnectionAddress, BackupNews)
    /// Begin to accept connections, perhaps for the figures alone; the last message of a start.
    case listen([SocketAddress], isForFigures: Bool, ListenAnswer)
    /// The server stops: say goodbye, flush, close.
    case drain
}
