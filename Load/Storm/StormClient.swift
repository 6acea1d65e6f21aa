import Client
import ClientProtocol
import EventLoop
import Model

/// One client of a storm: a session of the SDK, ended and begun anew as the storm wants it, which resumes from where the
/// one before stood.
///
/// - Confinement: loop
final class StormClient: ClientSessionDelegate {
    let index: Int
    let user: UserID
    private unowned let owner: StormLoop
    private(set) var session: ClientSession?
    private(set) var ledger = StormLedger()
    private var cursor: ResumePoint?
    /// Whether it is to come back and has not yet.
    private(set) var isAwaited = false
    private(set) var liveAt: ContinuousClock.Instant?
    /// Whether the connection there is was answered.
    private var isOnline = false
    /// Durable events that came between the storm's begin and `live`.
    private(set) var resumed = 0

    init(_ index: Int, user: UserID, of owner: StormLoop) {
        self.index = index
        self.user = user
        self.owner = owner
    }

    var isLive: Bool { session?.isLive == true }

    /// Connects, with what the session before had.
    ///
    /// - Parameter reconnects: whether it comes back by itself when the connection breaks.
    func start(reconnects: Bool) {
        guard session == nil else { return }
        var configuration = ClientSessionConfiguration(device: "storm")
        configuration.client = "watchwise-load"
        configuration.since = cursor
        configuration.reconnects = reconnects
        let session = owner.makeSession(configuration, for: user, index: index)
        session.delegate = self
        self.session = session
        session.start()
    }

    /// Ends the session in order.
    func stop() {
        cursor = session?.cursor ?? cursor
        session?.stop()
        session = nil
    }

    /// From now on its coming back is awaited.
    func await() { isAwaited = true }

    /// Holds its books against what was written to it.
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
