import Client
import ClientProtocol
import EventLoop
import Model
import Session

/// One client of a storm: a session of the SDK that the storm ends and starts again. Each new session resumes where the
/// last one stopped.
///
/// - Confinement: loop
final class StormClient: ClientSessionDelegate {
    let index: Int
    let user: UserID
    private unowned let owner: StormLoop
    private(set) var session: ClientSession?
    private(set) var ledger = StormLedger()
    private var cursor: ResumePoint?
    /// Whether it must come back and has not yet.
    private(set) var isAwaited = false
    private(set) var liveAt: ContinuousClock.Instant?
    /// Whether the present connection was answered.
    private var isOnline = false
    /// Durable events that arrived between the storm's beginning and `live`.
    private(set) var resumed = 0

    init(_ index: Int, user: UserID, of owner: StormLoop) {
        self.index = index
        self.user = user
        self.owner = owner
    }

    var isLive: Bool { session?.isLive == true }

    /// Connects, and resumes from the last session.
    ///
    /// - Parameter reconnects: Whether it reconnects by itself when the connection breaks.
    func start(reconnects: Bool) {
        guard session == nil else { return }
        var configuration = ClientSessionConfiguration(device: "storm")
        configuration.client = "watchwise-load"
        configuration.since = cursor
        configuration.reconnects = reconnects
        let session = owner.makeSession(configuration, for: user, index: index, isAway: true)
        session.delegate = self
        self.session = session
        session.start()
    }

    /// Ends the session normally.
    func stop() {
        cursor = session?.cursor ?? cursor
        session?.stop()
        session = nil
    }

    /// From now on the client must come back.
    func await() { isAwaited = true }

    /// Compares its ledger with the messages and notices written to it.
    func close(messages: Int64, notices: Int64) -> [StormLedger.Fault: Int] {
        ledger.close(messages: messages, notices: notices)
        return ledger.faults
    }

    func report(_ report: ClientSessionReport, from session: ClientSession) {
        switch report {
        case .event(let event):
            ledger.receive(event)
            if isAwaited, event.position != nil { resumed += 1 }
        case .live:
            if isAwaited {
                isAwaited = false
                liveAt = .now
            }
            owner.live(self)
        case .violation(.notAscending): ledger.receiveAgain()
        case .violation(let violation): owner.fail("client \(index): \(violation)")
        case .reset(let reason): owner.fail("client \(index) was reset: \(reason)")
        case .offline(let end, _): note(end)
        case .ended(.stopped): break
        case .ended(.transport(let end)):
            cursor = session.cursor ?? cursor
            self.session = nil
            note(end)
            if owner.isStorming { start(reconnects: true) }
        case .ended(let end): owner.fail("client \(index) ended: \(end)")
        case .online: isOnline = true
        case .reply: break
        }
    }

    private func note(_ end: TransportEnd) {
        owner.ended(end, wasOnline: isOnline)
        isOnline = false
    }
}

@available(*, unavailable)
extension StormClient: Sendable {}
