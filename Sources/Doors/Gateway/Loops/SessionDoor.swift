import Admin
import ClientProtocol
import EventLoop
import Fanout
import ThreadMessages
import Wire

/// The part of a loop that its sessions may use: its streams and watches, the commits that it has delivered, its doors to
/// the writer and the readers, and the places where a session waits for its turn.
///
/// - Confinement: loop
final class SessionDoor {
    let loop: Loop
    let settings: LoopSettings
    let orders: Orders
    let tokens: AcceptedTokens
    let memory: LoopMemory
    let drain: Drain
    let receivers: Receivers
    /// The sessions that watch documents.
    let watchers = Watchers()
    let presence: LoopPresence
    let devices: DeviceClaims
    let log: DeliveredLog
    let frames = LoopFrames()
    let starts: SessionStarts
    let pages: PageTurns
    let watches: WatchTurns
    let counts: CountReads
    let resting: RestingSessions
    /// Nil on a node that is alone: nobody has seen more than it has.
    let heads: HeadWaits?
    /// The events of one read. All sessions share this buffer; it is empty between reads.
    var incoming: [WebSocketEvent] = []

    /// - Parameters:
    ///   - number: of the loop.
    ///   - reach: its sessions by their addresses.
    init(ofLoop number: Int, _ loop: Loop, _ settings: LoopSettings, _ turn: TurnLoad, _ reach: SessionReach) {
        self.loop = loop
        self.settings = settings
        orders = Orders(on: loop, settings)
        tokens = AcceptedTokens(ofLoop: number, loop, settings)
        memory = LoopMemory(settings.peers.memory)
        drain = Drain(loop, settings)
        receivers = Receivers()
        presence = LoopPresence(ofLoop: number, receivers.hub, settings)
        log = DeliveredLog(head: settings.opened.head)
        let mail = settings.mail
        devices = DeviceClaims(mail.loops, mail.cluster, claim: reach.claim, replace: reach.replace, renew: reach.renew)
        starts = SessionStarts(ofLoop: number, loop, settings, drain, reach)
        pages = PageTurns(on: loop, turn, deliver: reach.deliver)
        watches = WatchTurns(read: reach.readWatched, answer: reach.answerWatch)
        counts = CountReads(ofLoop: number, receivers.hub, orders, log, settings.metrics)
        resting = RestingSessions(on: loop, end: reach.endRest)
        heads =
            settings.isMember
            ? HeadWaits(on: loop, settings.opened.epoch, log, came: reach.headCame, missed: reach.headMissed) : nil
    }

    /// Why no session may begin here: the node lags the others too much. Nil when they may.
    var sessionRefusal: Refusal? { settings.isMember ? NodeDistance(settings).refusal : nil }

    /// Whether this node has everything that the others are known to have.
    var knowsAllEntries: Bool { NodeDistance(settings).knowsAllEntries }

    /// The streams of the loop and the sessions that read them.
    var hub: Hub { receivers.hub }

    /// The loop ends.
    func close() {
        pages.close()
        resting.close()
        heads?.close()
    }
}

@available(*, unavailable)
extension SessionDoor: Sendable {}
