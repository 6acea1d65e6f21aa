import ClientProtocol
import EventLoop
import Fanout
import ThreadMessages

/// How the parts of a loop reach its sessions, which they know by their addresses alone.
///
/// - Confinement: loop
struct SessionReach {
    /// The claim of the session in a slot to its device.
    let claim: (Slot) -> DeviceClaim?
    /// Ends a session whose device has connected again.
    let replace: (ConnectionAddress) -> Void
    /// Ends a session that must connect again.
    let renew: (ConnectionAddress) -> Void
    /// Begins the start of a session that has its turn; false when it is gone.
    let beginStart: (ConnectionAddress) -> Bool
    /// Ends a session that has waited too long for its start; its client is to come back after some milliseconds.
    let turnAway: (ConnectionAddress, Int64) -> Void
    /// Gives a session a page of the log; returns the bytes that were written, nil when the session is gone.
    let deliver: (ConnectionAddress, SessionReading) -> Int?
    /// Has a session read what there is of the path that it is about to watch; false when it does not want that any more.
    let readWatched: (ConnectionAddress) -> Bool
    /// Has a session answer the watch that waited for a commit.
    let answerWatch: (Slot) -> Void
    /// The rest of a session is over.
    let endRest: (ConnectionAddress) -> Void
    /// The position for which a session or a request waited is here.
    let headCame: (ConnectionAddress) -> Void
    /// A session or a request has waited for a position for too long.
    let headMissed: (ConnectionAddress) -> Void
}

extension ConnectionTable {
    /// The sessions of these connections.
    var reach: SessionReach {
        SessionReach(
            claim: { [self] in session(in: $0)?.claim },
            replace: { [self] in connection(at: $0)?.session?.close(.replaced) },
            renew: { [self] in connection(at: $0)?.session?.close(.overloaded) },
            beginStart: { [self] address in
                guard let session = connection(at: address)?.session else { return false }
                SessionOpening(session).beginStart()
                return true
            },
            turnAway: { [self] address, delay in
                guard let session = connection(at: address)?.session else { return }
                session.startStage = .none
                session.close(.overloaded, reason: nil, reconnectInMilliseconds: delay)
            },
            deliver: { [self] address, reading in
                guard let connection = connection(at: address) else { return nil }
                let before = connection.tcp.queuedBytes
                connection.withSession { $0.readOn(reading) }
                return max(0, connection.tcp.queuedBytes - before)
            },
            readWatched: { [self] address in
                var isReading = false
                withSession(at: address) { isReading = $0.watching?.beginReading() ?? false }
                return isReading
            },
            answerWatch: { [self] in session(in: $0)?.watching?.answer() },
            endRest: { [self] in withSession(at: $0) { $0.rested() } },
            headCame: { [self] in connection(at: $0)?.headCame(inTime: true) },
            headMissed: { [self] in connection(at: $0)?.headCame(inTime: false) }
        )
    }
}
