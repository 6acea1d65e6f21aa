import ClientProtocol
import Configuration
import EventLoop
import Fanout
import Model
import Notifying
import Services
import Synchronization
import Telemetry
import ThreadMessages

/// The deliveries of commits to a session that has begun: its events, its counts, and the answers that come after them.
///
/// Runs of events, which most deliveries are, go to its ``SessionIdentity`` at once.
///
/// - Confinement: loop
struct SessionDelivery {
    private let session: ServerSession
    private let identity: SessionIdentity
    private let door: SessionDoor
    private var framing: Framing { session.framing }
    private var tcp: TCPConnection { identity.tcp }

    init(_ session: ServerSession, _ identity: SessionIdentity) {
        self.session = session
        self.identity = identity
        door = session.door
    }

    // MARK: Events

    /// A publication was committed in a stream that this session is subscribed to.
    ///
    /// - Returns: true when it was written; false when the session has it already, or will read it from the log.
    func deliver(_ framed: FramedPublication) -> Bool {
        let publication = framed.publication
        if publication.document != nil, !identity.watches.admit(publication) { return false }
        if let reach = publication.reach {
            guard let person = identity.person, reach.isFor(person.id, in: identity.zone) else { return false }
        }
        let wasLive = identity.cursor.mode == .live
        guard identity.cursor.offer(publication.position, queuedBytes: identity.queuedBytes) else {
            if wasLive, identity.cursor.mode == .behind { door.settings.metrics.slowSessions.add(1) }
            return false
        }
        let variant = silentVariant(of: framed) ?? framed
        tcp.write(framing.frame(variant, for: identity.language, hasID: !identity.withholdsIDs, door.frames))
        switch publication.unread {
        case .unchanged: break
        case .oneMore:
            identity.counts.addNotification(at: publication.position)
            sendCounts()
        case .message(let author):
            if identity.person?.id != author, identity.setUnread(publication.stream, true) {
                addChats(1, at: publication.position)
            }
        case .recount:
            if let person = identity.person, identity.counts.oweRecount(at: publication.position) {
                door.counts.want(person.id, at: publication.position)
            }
        }
        return true
    }

    /// The frame for a receiver that a notification must not interrupt; nil for everything that goes out as it
    /// is, which costs a look at a pointer.
    private func silentVariant(of framed: FramedPublication) -> FramedPublication? {
        guard let facts = framed.publication.notification else { return nil }
        let beginsDigest = identity.digestFirst == framed.publication.position
        guard let reason = ownReason(against: facts, beginsDigest: beginsDigest) ?? facts.silence else { return nil }
        door.settings.metrics.silenced.count(reason)
        guard reason != facts.silence else { return nil }
        return door.frames.silent.variant(of: framed, for: identity.language, because: reason)
    }

    /// Why the user does not want to be interrupted by a notification.
    private func ownReason(against facts: NotificationFacts, beginsDigest: Bool) -> Silence? {
        let (hub, slot) = (door.hub, session.address.slot)
        return identity.preferences?.readerReason(against: facts, beginsDigest: beginsDigest) { stream in
            hub.isSubscribed(slot, to: stream)
        }
    }

    /// Sends a message that is not in the log. Dropped when the socket does not take more: it would be old when it arrives.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func sendEphemeral(_ signal: FramedSignal) -> Bool {
        guard identity.cursor.mode == .live, tcp.queuedBytes < Limits.queuedBytesMax else { return false }
        tcp.write(framing.isOneWay ? framing.frame(signal.event.json, named: signal.event.name) : signal.frame)
        return true
    }

    /// An event for those who are online was committed.
    ///
    /// - Returns: whether it was written.
    @discardableResult
    func take(_ frames: NoticeFrames) -> Bool {
        guard identity.person != nil else { return false }
        // It is in no inbox, so no look-back digest collects it.
        let silence = frames.notice.facts.flatMap { ownReason(against: $0, beginsDigest: true) }
        guard sendEphemeral(frames.signal(in: identity.language, because: silence)) else { return false }
        if let silence { door.settings.metrics.silenced.count(silence) }
        return true
    }

    // MARK: Counts

    func setCounts(_ counts: UnreadCounts, asOf position: Position) {
        identity.counts.set(counts, asOf: position)
        sendCounts()
        if identity.areCountsCurrent { answerRenewals() }
    }

    /// The user's counts were read as of a position, after something was removed.
    func recounted(_ counts: UnreadCounts, asOf position: Position) {
        // A session that is not live gets them with a page, which is newer than the removal.
        guard identity.counts.isRecountOwed, identity.cursor.mode == .live else { return }
        setCounts(counts, asOf: position)
    }

    /// The user has nothing unread in a room any more; a session that is not live reads its counts when it becomes so.
    func roomRead(_ room: StreamID, asOf position: Position) {
        guard identity.cursor.mode == .live, identity.setUnread(room, false) else { return }
        addChats(-1, at: position)
    }

    private func addChats(_ difference: Int32, at position: Position) {
        // A count that is being read may lack this one.
        if identity.counts.isRecountOwed, let person = identity.person {
            return door.counts.want(person.id, at: position)
        }
        identity.counts.addChats(difference, at: position)
        sendCounts()
    }

    /// Sends the counts, if the client does not have them.
    private func sendCounts() {
        guard identity.cursor.mode == .live, let news = identity.counts.takeNews() else { return }
        if identity.isPlain { return tcp.write(door.frames.counts[news]) }
        let event = Event.unread(news)
        tcp.write(framing.frame(event.json, named: event.name))
    }

    // MARK: Answers

    /// A write was committed, or refused: answers it when the events before it were sent.
    func answerWrite(_ id: RequestID?, _ outcome: Outcome) {
        let position = door.log.deliveredUpTo
        guard identity.cursor.mode != .live,
            position > identity.cursor.position || identity.heldAnswers?.isEmpty == false
        else { return session.finish(id, outcome, .write) }
        identity.holdAnswers().append(HeldAnswers.Answer(id: id, outcome: outcome, position: position))
    }

    /// Answers a `hello` that renewed the token, when the counts to be sent with it are known.
    func answerRenewal(_ id: RequestID?) {
        guard let id, let person = identity.person else { return }
        if identity.areCountsCurrent {
            answerHello(id, of: person.name)
        } else if !identity.holdAnswers().appendRenewal(id) {
            session.refuse(
                id, Refusal(.tooMany, "too many hellos wait for their answers", retryAfterMilliseconds: 1000))
        }
    }

    /// The counts are known now.
    private func answerRenewals() {
        guard let held = identity.heldAnswers else { return }
        for id in held.takeRenewals() { answerRenewal(id) }
    }

    /// Answers `hello`.
    ///
    /// - Parameter head: of the log as it was read; nil where the session has looked through more since.
    func answerHello(_ id: RequestID?, of user: UserID, head: Position? = nil) {
        session.answer(id) {
            HelloBody(
                user: user, device: identity.device, session: session.id, epoch: door.settings.opened.epoch,
                seq: head ?? identity.lookedThrough(door.log),
                heartbeatMilliseconds: door.settings.configuration.heartbeatMilliseconds,
                unread: identity.counts.current, server: ServerConfiguration.serverName,
                time: door.settings.clock.now(), webPushKey: door.settings.pushOffer.webPushKey
            ).write(to: &$0)
        }
    }
}
