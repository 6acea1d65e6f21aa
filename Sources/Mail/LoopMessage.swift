package import Authentication
package import ClientProtocol
package import EventLoop
package import Fanout
package import Model
package import Services
package import TLS

/// What other threads tell a loop.
///
/// - Confinement: any
package enum LoopMessage: Sendable {
    /// A transaction is on the disk; these are its steps, in order, those of them that others than who asked may read
    /// later, as how many steps those count, and the log's head after it; `heavy` is told when it is delivered.
    case committed([LoopStep], kept: [KeptStep], cost: Int, head: Position, heavy: HeavyDelivery?)
    /// A read is done, or a write was turned away before it began.
    case outcome(ConnectionAddress, Ticket, Outcome)
    /// The first reading of a session's user, or of a command's; nil when the user is not known yet.
    case started(ConnectionAddress, SessionReading?)
    /// A further page of the log.
    case page(ConnectionAddress, SessionReading)
    /// The reader failed on a start or page: the session cannot go on.
    case readingFailed(ConnectionAddress)
    /// A user's counts, computed anew as of a position.
    case counts(StreamID, UnreadCounts, asOf: Position)
    /// The reader failed on a user's counts.
    case countingFailed(StreamID)
    /// What is there of a path that is to be watched; nil when its changes are not logged yet.
    case watched(ConnectionAddress, Result<WatchSnapshot?, Refusal>)
    /// The people of a presence watch, those that may be seen.
    case watch(ConnectionAddress, Ticket, [Person])
    /// A signal that is not in the log, for the sessions of these inboxes.
    case signal([StreamID], FramedSignal)
    /// The first session of a user came to a loop, or the last one went.
    case presence(Person, isOnline: Bool, loop: Int, at: Timestamp)
    /// A device connected; an older connection of the same one ends.
    case claimed(DeviceClaim)
    /// An issuer's keys are these, as of now.
    case issuer(TrustedIssuer)
    /// New connections get this certificate; those that stand keep theirs.
    case certificate(TLSContext)
    /// A copy of the database for the connection's request goes on.
    case backup(ConnectionAddress, BackupNews)
    /// Begin to accept connections; the last message of a start.
    case listen([SocketAddress], ListenAnswer)
    /// The server stops: say goodbye, flush, close.
    case drain
}
