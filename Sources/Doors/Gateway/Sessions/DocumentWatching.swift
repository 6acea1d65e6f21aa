import ClientProtocol
import EventLoop
import Execution
import Fanout
import Model
import Quotas
import Services
import Synchronization
import Telemetry
import ThreadMessages

/// The watches of a session that has begun: how each begins, goes on page by page, and ends.
///
/// From `watch` to the first event there is no gap and no repeat. A reader reads what there is on one snapshot S and checks
/// the right. The answer waits until this loop has delivered all up to S, and the session with it. The changes that
/// the loop has delivered after S go into the answer, so that it is complete at the loop's own position H. From the same
/// turn on the session gets the changes after H as they are committed. So positions on a connection only rise, and a client
/// applies an answer by replacing and an event by replacing, whatever the writers do.
///
/// - Confinement: loop
struct DocumentWatching {
    private let line: any SessionLine
    private let identity: SessionIdentity
    private var door: SessionDoor { line.door }

    init(_ line: any SessionLine, _ identity: SessionIdentity) {
        self.line = line
        self.identity = identity
    }

    // MARK: The beginning

    /// Begins a watch, or goes on to its next page. A path that is watched already is watched again from the beginning.
    func begin(_ command: WatchCommand, _ id: RequestID?) throws(Refusal) {
        let known = identity.watches.find(command.path)
        if let after = command.after {
            guard known?.stream.through == after else {
                throw Refusal(
                    .conflict,
                    "no page of \(command.path.text) ends there; watch it again from the beginning", field: "after")
            }
        } else if let known {
            end(known)
        }
        guard known != nil || identity.watches.byStream.count < DocumentLimits.watchesMax else {
            throw Refusal(.tooMany, "at most \(DocumentLimits.watchesMax) watches; end one with unwatch", field: "path")
        }
        line.beganRead()
        let interest = door.settings.watchedPaths.begin(command.path)
        var pending = PendingWatch(id: id, command: command, interest: interest)
        // A stream without commands has waited before it began.
        if !line.framing.isOneWay, let heads = door.heads {
            pending.awaitsHead = heads.wait(line.address, for: command.since)
        }
        identity.watches.pending = pending
        if !pending.awaitsHead { openOrRead(pending) }
    }

    private func openOrRead(_ pending: PendingWatch) {
        if pending.interest.mustOpen { openStream() } else { read() }
    }

    /// The node is where the client has been, or has not come there in time.
    func headCame() {
        guard let pending = identity.watches.pending, pending.awaitsHead else { return }
        identity.watches.pending?.awaitsHead = false
        openOrRead(pending)
    }

    /// Reads what there is, when it is this session's turn.
    private func read() {
        guard let pending = identity.watches.pending else { return }
        let lane = FairLane(line.account, line.address)
        let expected = ReadOrder.expectedMicroseconds(of: line.account, weight: pending.command.weight)
        let isNow = door.watches.begin(line.address, in: lane, expected: expected)
        if isNow, !beginReading() { door.watches.ended() }
    }

    /// It is this session's turn to read.
    ///
    /// - Returns: false when nothing is to be read any more.
    func beginReading() -> Bool {
        guard let pending = identity.watches.pending else { return false }
        let reading = ReadWatched(pending.command, by: identity.person.map { ($0.name, $0.id) })
        door.orders.read(
            .watched(reading, identity.actor ?? .server, at: door.settings.clock.now()), for: line.address,
            weight: pending.command.weight, line.account)
        return true
    }

    /// A reader has read what there is; nil when nobody watched the path before, so that its changes are not logged.
    func wasRead(_ reading: Result<WatchSnapshot?, Refusal>) {
        guard let pending = identity.watches.pending else { return }
        switch reading {
        case .success(nil): openStream()
        case .success(let snapshot):
            identity.watches.pending?.snapshot = snapshot
            answer()
        case .failure(let refusal): line.finish(pending.id, .failure(refusal), .read)
        }
    }

    /// Has the writer log the path's changes from now on.
    private func openStream() {
        guard let pending = identity.watches.pending else { return }
        do {
            try door.orders.submit(
                OpenWatchedStream(pending.command.path), by: .server, for: line.address, .watchedStream, line.account,
                source: .watchedStream(pending.command.path))
        } catch {
            line.finish(pending.id, .failure(error), .read)
        }
    }

    /// The changes of the path are logged from now on: reads again.
    func streamOpened(_ outcome: Outcome) {
        guard let pending = identity.watches.pending else { return }
        switch outcome {
        case .success: read()
        case .failure: line.finish(pending.id, outcome, .read)
        }
    }

    /// Answers the watch that was read, if the loop and the session are where the snapshot is.
    ///
    /// A session that is not there yet is asked again when it has caught up; if its loop is not, after the next commit.
    func answer() {
        guard let pending = identity.watches.pending, let snapshot = pending.snapshot, identity.cursor.mode == .live
        else { return }
        let head = door.log.head
        guard head >= snapshot.head, head >= identity.cursor.position else {
            return door.watches.hold(line.address.slot)
        }
        let missed = door.watchers.hasEnded(snapshot.stream) ? nil : door.log.after(snapshot.head)
        guard let missed, let answer = WatchAnswer(to: pending, snapshot, missed, user: identity.person?.id) else {
            identity.watches.pending?.snapshot = nil
            return read()
        }
        let stream = WatchedStream(
            stream: snapshot.stream, isDocument: pending.command.path.isDocument, from: head,
            through: snapshot.through)
        let watch = DocumentWatch(
            path: pending.command.path, stream: stream, topic: snapshot.topic,
            isWhileFollowing: snapshot.isWhileFollowing, interest: pending.interest)
        if identity.watches.add(watch) {
            door.watchers.add(line.address.slot, to: snapshot.stream)
            door.settings.metrics.watches.add(1)
        }
        line.finish(pending.id, .success(answer.encoded(of: watch, snapshot, head: head)), .read)
    }

    // MARK: Streams without commands

    /// Begins the next watch that a stream without commands asked for at its start: one at a time is on its way.
    func queueAsked() {
        if let (path, since) = identity.watches.takeAsked() {
            line.enqueue(WatchCommand(path: path, since: since))
        } else if identity.withholdsIDs {
            identity.awaitsLive = false
            let position = identity.lookedThrough(door.log)
            line.send(Event.live(seq: position), at: position)
        }
    }

    /// Sends the outcome of a watch on a stream without replies, and goes on to its next page, or to the next watch.
    func announce(_ watch: PendingWatch, _ outcome: Outcome) {
        let path = watch.command.path
        switch outcome {
        case .success(let answer) where door.memory.mayAnswer(answer.body.count):
            line.send(Event.documents(encoded: answer.body))
            if let next = identity.watches.find(path)?.stream.through {
                return line.enqueue(WatchCommand(path: path, after: next))
            }
            queueAsked()
        case .success:
            end(path)
            door.settings.refused(.memory, line.client)
            announceEnd(of: path, .overloaded)
        case .failure(let refusal): announceEnd(of: path, refusal)
        }
    }

    /// A path cannot be watched: goes on to the next one, or ends a stream that cannot become live without it.
    private func announceEnd(of path: WatchedPath, _ refusal: Refusal) {
        line.send(Event.unwatched(path: path, reason: refusal.code))
        identity.withholdsIDs ? line.close(.overloaded) : queueAsked()
    }

    // MARK: The end

    /// Ends the watch of a path; harmless when there is none.
    func end(_ path: WatchedPath) {
        if let watch = identity.watches.find(path) { end(watch) }
    }

    private func end(_ watch: DocumentWatch) {
        identity.watches.remove(watch.stream.stream)
        door.watchers.remove(line.address.slot, from: watch.stream.stream)
        door.settings.metrics.watches.subtract(1)
    }

    /// The session ends, and its watches with it.
    func endAll() {
        for watch in identity.watches.byStream.values { end(watch) }
        identity.watches.pending = nil
    }

    /// The user has stopped following a topic: the watches that rested on it end.
    func endAll(following topic: StreamID) {
        for watch in identity.watches.byStream.values where watch.isWhileFollowing && watch.topic == topic {
            revoke(watch)
        }
    }

    /// The log no longer holds all changes that were not sent: the client watches again.
    func endAllUnsent() {
        for watch in identity.watches.byStream.values { endUnavailable(watch) }
    }

    /// The changes of a path are logged no more: the client watches it again, and they are.
    func endUnlogged(_ stream: StreamID) {
        if let watch = identity.watches.byStream[stream] { endUnavailable(watch) }
    }

    private func endUnavailable(_ watch: DocumentWatch) {
        end(watch)
        line.send(Event.unwatched(path: watch.path, reason: .unavailable))
    }

    private func revoke(_ watch: DocumentWatch) {
        end(watch)
        door.settings.metrics.watchesRevoked.add(1)
        line.send(Event.unwatched(path: watch.path, reason: .notFound))
    }

    /// The access rules are others now: the watches that they do not allow end.
    func apply(_ rules: AccessRules) {
        for watch in identity.watches.byStream.values {
            switch grant(of: watch.path, by: rules)?.forWatching {
            case .always: identity.watches.setWhileFollowing(false, watch.stream.stream)
            case .whileFollowing:
                if let topic = watch.topic, door.hub.isSubscribed(line.address.slot, to: topic) {
                    identity.watches.setWhileFollowing(true, watch.stream.stream)
                } else {
                    revoke(watch)
                }
            case .byContent, nil: revoke(watch)
            }
        }
        if identity.person == nil, identity.watches.byStream.isEmpty, !identity.awaitsLive {
            line.close(.unauthenticated, reason: "none of the watched documents is open to anyone")
        }
    }

    private func grant(of path: WatchedPath, by rules: AccessRules) -> ReadGrant? {
        guard let person = identity.person else { return rules.isOpen(path) ? .always : nil }
        return rules.grant(of: path, to: person.name, door.settings.opened.collections)
    }
}

extension WatchedPath {
    /// Whether it is one document, rather than those of a collection.
    var isDocument: Bool {
        if case .document = self { true } else { false }
    }
}
