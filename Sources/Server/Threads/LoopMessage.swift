import Authentication
import ClientProtocol
import EventLoop
import Fanout
import Model
import Services
import TLS

/// Where an answer goes: a connection of a loop. The generation tells a connection from a later one in its slot.
///
/// - Confinement: any
struct ConnectionAddress: Sendable, Hashable {
    let loop: Int
    let slot: Slot
    let generation: UInt32
}

/// What the answer is to.
///
/// - Confinement: any
enum Ticket: Sendable, Hashable {
    /// A client's command that writes; nil when it wants no reply.
    case write(RequestID?)
    /// A client's command that only reads.
    case read(RequestID?)
    /// The connection's HTTP request.
    case request
    /// The session made its user known.
    case registration
    /// The session has the changes logged that it is about to watch.
    case watchedStream
    /// Nobody waits.
    case none
}

/// How a use case ended: the `ok` object, or why not.
typealias Outcome = Result<[UInt8], Refusal>

extension Outcome {
    /// Bytes of what was read or written, or of what stands in the way.
    var bodyBytes: Int {
        switch self {
        case .success(let body): body.count
        case .failure(let refusal): refusal.found?.data?.count ?? 0
        }
    }
}

/// A step of a commit as every loop gets it: the array of them is shared by all loops.
///
/// - Confinement: any
enum LoopStep: Sendable {
    case run(PublicationRun)
    /// One that differs from reader to reader.
    case publication(FramedPublication)
    case change(SessionChange)
    case outcome(ConnectionAddress, Ticket, Outcome)
}

/// A step of a commit that others than who asked may read later, see `RecentCommits`.
///
/// - Confinement: any
enum KeptStep: Sendable {
    case publication(FramedPublication)
    case change(SessionChange)

    /// As how many steps it counts among the recent commits: more where it takes much memory.
    var cost: Int {
        switch self {
        case .publication(let framed): framed.cost
        case .change(.preferences(_, let stored, _)): 1 + (stored?.utf8.count ?? 0) / Limits.recentStepBytes
        case .change(.accessRules(let rules)): 1 + rules.utf8.count / Limits.recentStepBytes
        case .change: 1
        }
    }
}

/// What other threads tell a loop.
///
/// - Confinement: any
enum LoopMessage: Sendable {
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
    case watched(ConnectionAddress, WatchSnapshot?)
    /// The people of a presence watch, those that may be seen.
    case watch(ConnectionAddress, Ticket, [Person])
    /// A signal that is not in the log, for the sessions of these inboxes.
    case signal([StreamID], FramedSignal)
    /// The first session of a user came to a loop, or the last one went.
    case presence(Person, isOnline: Bool, loop: Int, at: Timestamp)
    /// A device connected; an older connection of the same one ends.
    case claimed(DeviceClaim)
    /// The mailboxes of all loops, in the order of their numbers; the first message.
    case peers([Mailbox<LoopMessage>])
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

/// A user by number and name.
///
/// - Confinement: any
struct Person: Sendable, Hashable {
    let id: StreamID
    let name: UserID

    /// The user as the one who asks.
    var actor: Actor { .user(id, name) }
}

/// A connection's claim to be the one of its user's device.
///
/// - Confinement: any
struct DeviceClaim: Sendable, Hashable {
    let device: DeviceKey
    let address: ConnectionAddress
    /// Tells which of two claims is the later one, see ``ClaimNumbers``.
    let number: Int64

    /// Whether this claim ends the connection that made `other`.
    func supersedes(_ other: DeviceClaim) -> Bool {
        guard device == other.device, address != other.address else { return false }
        return number > other.number
    }
}

/// One device of one user.
///
/// - Confinement: any
struct DeviceKey: Sendable, Hashable {
    let user: StreamID
    let device: String
}

/// What a reader found for a session: its user, and a page of the log on the same snapshot.
///
/// - Confinement: any
struct SessionReading: Sendable {
    let start: SessionStart
    /// Why the events asked for cannot be had; then ``page`` is nil.
    let reset: Event.ResetReason?
    /// Nil when no events were asked for.
    let page: LogPage?
}
