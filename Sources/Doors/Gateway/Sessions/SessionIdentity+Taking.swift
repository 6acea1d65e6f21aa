import ClientProtocol
import EventLoop
import Fanout
import ThreadMessages
import Model
import Notifying
import Synchronization
import Telemetry

extension SessionIdentity {
    /// The result of giving a run to a session.
    enum Taken {
        /// All of it was written.
        case whole
        /// Its publications are to be offered one by one: they differ for this reader, or only some of them are new.
        case singly
        /// Nothing: it has it, or will read it from the log.
        case nothing
    }

    /// A run was committed in a stream that this session is subscribed to.
    ///
    /// - Parameter isLast: whether nothing is expected after it in this turn, so that it may leave at once.
    func take(_ run: PublicationRun, _ frames: inout CountFrames, isLast: Bool) -> Taken {
        if run.isOfDocuments {
            guard let isAdmitted = watches.admit(run) else { return .singly }
            if !isAdmitted { return .nothing }
        }
        let tcp = tcp
        // Changed aside and put back: Swift checks exclusive access to a field that is changed in place while others are
        // called.
        var moved = cursor
        guard isPlain, !run.isForPreferences || preferences == nil, !tcp.isCongested,
            run.messages == nil || !counts.isRecountOwed,
            moved.offer(from: run.first, through: run.last, count: run.publications.count, queuedBytes: 0)
        else { return moved.mode == .live && moved.position < run.last ? .singly : .nothing }
        cursor = moved
        if !run.notified.isEmpty, let news = count(run.notified) {
            let bytes = frames.frames(of: run, news)
            isLast ? tcp.writeAtOnce(bytes) : tcp.write(bytes)
        } else if let messages = run.messages, let news = count(messages, in: run.stream) {
            let bytes = frames.frames(of: run, news)
            isLast ? tcp.writeAtOnce(bytes) : tcp.write(bytes)
        } else {
            isLast ? tcp.writeAtOnce(run.frames) : tcp.write(run.frames)
        }
        return .whole
    }

    private func count(_ notified: [Position]) -> UnreadCounts? {
        var changed = counts
        changed.addNotifications(at: notified)
        defer { counts = changed }
        return changed.takeNews()
    }

    private func count(_ messages: RoomMessages, in room: StreamID) -> UnreadCounts? {
        guard let person, let position = messages.firstUnread(for: person.id), setUnread(room, true) else { return nil }
        counts.addChats(1, at: position)
        return counts.takeNews()
    }

    /// The user has nothing unread in a room any more; a session that is not live reads its counts when it becomes so.
    func roomRead(_ room: StreamID, asOf position: Position, as framing: Framing, _ door: SessionDoor) {
        guard cursor.mode == .live, setUnread(room, false) else { return }
        addChats(-1, at: position, as: framing, door)
    }

    private func addChats(_ difference: Int32, at position: Position, as framing: Framing, _ door: SessionDoor) {
        // A count that is being read may lack this one.
        if counts.isRecountOwed, let person { return door.counts.want(person.id, at: position) }
        counts.addChats(difference, at: position)
        sendCounts(as: framing, door)
    }

    /// A publication was committed in a stream that this session is subscribed to.
    ///
    /// - Returns: true when it was written; false when the session has it already, or will read it from the log.
    func take(_ framed: FramedPublication, as framing: Framing, at slot: Slot, _ door: SessionDoor) -> Bool {
        let publication = framed.publication
        if publication.document != nil, !watches.admit(publication) { return false }
        if let reach = publication.reach {
            guard let person, reach.isFor(person.id, in: zone) else { return false }
        }
        let wasLive = cursor.mode == .live
        guard cursor.offer(publication.position, queuedBytes: queuedBytes) else {
            if wasLive, cursor.mode == .behind {
                door.settings.metrics.slowSessions.add(1)
            }
            return false
        }
        let variant = silentVariant(of: framed, at: slot, door) ?? framed
        tcp.write(framing.frame(variant, for: language, hasID: !withholdsIDs, door.frames))
        switch publication.unread {
        case .unchanged: break
        case .oneMore:
            counts.addNotification(at: publication.position)
            sendCounts(as: framing, door)
        case .message(let author):
            if person?.id != author, setUnread(publication.stream, true) {
                addChats(1, at: publication.position, as: framing, door)
            }
        case .recount:
            if let person, counts.oweRecount(at: publication.position) {
                door.counts.want(person.id, at: publication.position)
            }
        }
        return true
    }

    /// Sends the counts, if the client does not have them.
    func sendCounts(as framing: Framing, _ door: SessionDoor) {
        guard cursor.mode == .live, let news = counts.takeNews() else { return }
        if isPlain { return tcp.write(door.frames.counts[news]) }
        let event = Event.unread(news)
        tcp.write(framing.frame(event.json, named: event.name))
    }

    /// The frame for a receiver that a notification must not interrupt; nil for everything that goes out as it
    /// is, which costs a look at a pointer.
    private func silentVariant(of framed: FramedPublication, at slot: Slot, _ door: SessionDoor) -> FramedPublication? {
        guard let facts = framed.publication.notification else { return nil }
        let beginsDigest = digestFirst == framed.publication.position
        let own = preferences?.readerReason(against: facts, beginsDigest: beginsDigest) { stream in
            door.hub.isSubscribed(slot, to: stream)
        }
        guard let reason = own ?? facts.silence else { return nil }
        door.settings.metrics.silenced.count(reason)
        guard reason != facts.silence else { return nil }
        return door.frames.silent.variant(of: framed, for: language, because: reason)
    }
}
