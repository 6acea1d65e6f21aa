import ClientProtocol
import Fanout
import Model
import Notifying
import Services
import Store
import ThreadMessages

/// How a session that has begun reads on from the log until it is live. The way there has no gap and no repeat: the log is
/// read, on one snapshot, up to its head H; commits after H are in the loop's recent commits meanwhile, and are applied to
/// this session alone before the next commit is delivered to all.
///
/// - Confinement: loop
struct LogReading {
    private let line: any SessionLine
    private let identity: SessionIdentity
    private var door: SessionDoor { line.door }

    init(_ line: any SessionLine, _ identity: SessionIdentity) {
        self.line = line
        self.identity = identity
    }

    /// Asks for the next page of the log.
    func readPage(after position: Position? = nil) {
        guard !line.isClosing else { return }
        // The log is read for users alone: a client without a token that was too slow comes back.
        guard let person = identity.person else { return line.close(.stalled) }
        identity.watches.askedForPage()
        door.orders.read(
            .page(
                person.id, after: position ?? identity.cursor.position,
                deviceLanguage: identity.deviceLanguage, watched: identity.watches.streams),
            for: line.address, line.account)
    }

    /// Sends a page of the log with the answers that come between its events, and goes on until the end.
    func take(_ reading: SessionReading) {
        guard identity.watches.isPageAllowed else { return readPage() }
        if let reason = reading.reset {
            line.send(Event.reset(reason))
            DocumentWatching(line, identity).endAllUnsent()
            identity.awaitsLive = true
            identity.cursor.skip(to: reading.start.head)
        }
        if let page = reading.page {
            for (position, json) in page.events where position > identity.cursor.position {
                // The rest of a page of large events would pass the bound; it is read again when the socket drains.
                guard identity.cursor.wrotePage(queuedBytes: identity.queuedBytes) else { return line.leaveStart() }
                answerWrites(before: position)
                line.send(stored: json, at: position)
                identity.cursor.advance(to: position)
            }
            guard !page.hasMore else {
                return identity.cursor.wrotePage(queuedBytes: identity.queuedBytes) ? readPage() : line.leaveStart()
            }
        }
        let head = reading.page?.upTo ?? reading.start.head
        guard let missed = door.log.after(head) else { return readPage(after: head) }
        becomeLive(at: head, reading, missed)
    }

    private func becomeLive(at head: Position, _ reading: SessionReading, _ missed: RecentCommits<KeptStep>.Commits) {
        answerWrites(before: head.next)
        identity.cursor.becomeLive(at: head)
        line.leaveStart()
        if identity.awaitsLive { line.send(Event.live(seq: head), at: head) }
        identity.awaitsLive = false
        identity.setUnreadRooms(reading.start.unreadRooms)
        line.setCounts(reading.start.counts, asOf: head)
        // As of the snapshot: what has changed since changes again where it did among the commits after it.
        identity.setChosenLanguage(reading.start.user.language)
        identity.setPreferences(reading.start.user.preferences.map { StoredPreferences($0) })
        catchUp(missed, streams: reading.start.streams, head: head)
        answerWrites(before: identity.cursor.mode == .live ? door.log.deliveredUpTo.next : .zero)
        DocumentWatching(line, identity).answer()
    }

    /// Applies the commits after the snapshot's head which this loop has already delivered to others.
    private func catchUp(_ missed: RecentCommits<KeptStep>.Commits, streams: [StreamID], head: Position) {
        guard let user = identity.person?.id else { return }
        var subscribed = Set(streams + [user, .everyone])
        let deleted = DeletedMessages(in: missed)
        for commit in missed {
            for step in commit.steps {
                switch step {
                case .publication(let framed):
                    let publication = framed.publication
                    guard publication.position > head, !line.isClosing else { continue }
                    // A change of a document is for the sessions that watch it: `deliver` knows.
                    if publication.document != nil || publication.lies(in: subscribed) {
                        if identity.cursor.mode == .live { answerWrites(before: publication.position) }
                        if let blanked = deleted.blanked(publication) {
                            send(blanked, at: publication.position)
                        } else {
                            line.deliver(framed)
                        }
                    }
                case .change(.subscription(user, let stream, let isOn)):
                    if isOn { subscribed.insert(stream) } else { subscribed.remove(stream) }
                case .change(.unread(user, let counts, let position)): line.setCounts(counts, asOf: position)
                case .change(.roomRead(let users, let room, let position)) where users.contains(user):
                    line.roomRead(room, asOf: position)
                case .change(.language(user, let language)): identity.setChosenLanguage(language)
                case .change(.preferences(user, let stored, _)):
                    identity.setPreferences(stored.map { StoredPreferences($0) })
                case .change(.digestBegins(user, let position)): identity.digestFirst = position
                case .change(.online(let notice)): line.take(NoticeFrames(notice))
                case .change: break
                }
            }
        }
        subscribed.remove(user)
        subscribed.remove(.everyone)
        door.hub.replaceStreams(of: line.address.slot, with: Array(subscribed))
    }

    private func send(_ event: [UInt8], at position: Position) {
        guard identity.cursor.offer(position, queuedBytes: identity.queuedBytes) else { return }
        line.send(stored: event, at: position)
    }

    /// Answers the writes that come before an event.
    private func answerWrites(before position: Position) {
        guard let held = identity.heldAnswers, !held.isEmpty else { return }
        while !line.isClosing, let answer = held.takeFirst(before: position) {
            line.reply(answer.id, answer.outcome, .write)
        }
    }
}
