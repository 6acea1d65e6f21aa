import ClientProtocol
import EventLoop
import Fanout
import JSON
import Mail
import Model
import Peers
import Services
import Synchronization
import Telemetry

// From `watch` to the first event, without a gap and without a repeat: a reader reads what is there on one snapshot S and
// checks the right; the answer waits until this loop has delivered all up to S, and the session with it; what the loop
// has delivered behind S is put into the answer, which so tells what is there at the loop's own position H. From the same
// turn on the session gets the changes behind H as they are committed. So positions on a connection only rise, and a
// client applies an answer by replacing and an event by replacing, whatever the writers do.
extension Session {
    /// Begins a watch, or goes on to its next page. A path that is watched already is watched anew.
    func watch(_ command: WatchCommand, _ id: RequestID?, _ identity: SessionIdentity) throws(Refusal) {
        let known = identity.watches.find(command.path)
        if let after = command.after {
            guard known?.stream.through == after else {
                throw Refusal(
                    .conflict,
                    "no page of \(command.path.text) ends there; watch it again from the beginning", field: "after")
            }
        } else if let known {
            endWatch(known, identity)
        }
        guard known != nil || identity.watches.byStream.count < Limits.watchesMax else {
            throw Refusal(.tooMany, "at most \(Limits.watchesMax) watches; end one with unwatch", field: "path")
        }
        queue.beganRead()
        let interest = server.settings.watchedPaths.begin(command.path)
        identity.watches.pending = PendingWatch(id: id, command: command, interest: interest)
        if interest.mustOpen { openWatched() } else { readWatched() }
    }

    /// Ends a watch; harmless when there is none.
    func unwatch(_ path: WatchedPath, _ id: RequestID?, _ identity: SessionIdentity) {
        if let watch = identity.watches.find(path) { endWatch(watch, identity) }
        answer(id) { $0.member("path", path.text) }
    }

    /// Reads what is there, when it is this session's turn.
    private func readWatched() {
        let account = connection.pacedAccount
        let lane = FairLane(account, address)
        let isNow = server.watchReads.begin(
            address, in: lane, expected: account?.read.expected ?? WorkMean.ofUnknown)
        if isNow, !beginReadingWatched() { server.watchReads.ended() }
    }

    /// - Returns: false when nothing is to be read any more.
    func beginReadingWatched() -> Bool {
        guard let identity, let pending = identity.watches.pending else { return false }
        let reading = ReadWatched(pending.command, by: identity.person.map { ($0.name, $0.id) })
        server.read(
            .watched(reading, identity.actor ?? .server, at: server.settings.clock.now()),
            for: address,
            connection.pacedAccount)
        return true
    }

    /// A reader has read what is there; nil when nobody watched the path before, so that its changes are not logged.
    func watched(_ reading: Result<WatchSnapshot?, Refusal>) {
        guard let identity, let pending = identity.watches.pending else { return }
        switch reading {
        case .success(nil): openWatched()
        case .success(let snapshot):
            identity.watches.pending?.snapshot = snapshot
            answerWatch()
        case .failure(let refusal): finish(pending.id, .failure(refusal), .read)
        }
    }

    /// Has the writer log the path's changes from now on.
    private func openWatched() {
        guard let pending = identity?.watches.pending else { return }
        do {
            try server.submit(
                OpenWatchedStream(pending.command.path), by: .server, for: address, .watchedStream,
                connection.pacedAccount)
        } catch {
            finish(pending.id, .failure(error), .read)
        }
    }

    /// The changes of the path are logged from now on: reads again.
    func watchedStreamOpened(_ outcome: Outcome) {
        guard let pending = identity?.watches.pending else { return }
        switch outcome {
        case .success: readWatched()
        case .failure: finish(pending.id, outcome, .read)
        }
    }

    /// Answers the watch that was read, if the loop and the session are where the snapshot is.
    ///
    /// One that is behind is asked again when it has caught up, one whose loop is behind after the next commit.
    func answerWatch() {
        guard let identity, let pending = identity.watches.pending, let snapshot = pending.snapshot,
            identity.cursor.mode == .live
        else { return }
        let head = server.recent.head
        guard head >= snapshot.head, head >= identity.cursor.position else {
            return server.holdWatch(of: address.slot)
        }
        guard let documents = documents(of: pending, snapshot, identity) else {
            identity.watches.pending?.snapshot = nil
            return readWatched()
        }
        let stream = WatchedStream(
            stream: snapshot.stream, isDocument: pending.command.path.isDocument, from: head,
            through: snapshot.through)
        let watch = DocumentWatch(
            path: pending.command.path, stream: stream, topic: snapshot.topic,
            isWhileFollowing: snapshot.isWhileFollowing, interest: pending.interest)
        if identity.watches.add(watch) {
            server.watchers.add(address.slot, to: snapshot.stream)
            server.settings.metrics.watches.add(1, ordering: .relaxed)
        }
        finish(pending.id, .success(Self.body(of: watch, documents, snapshot, head: head)), .read)
    }

    /// The documents of the snapshot as the loop's own position has them; nil when that cannot be told from what the loop
    /// still holds, or the right may have changed: then they are to be read again.
    private func documents(
        of pending: PendingWatch, _ snapshot: WatchSnapshot, _ identity: SessionIdentity
    ) -> [WatchedDocument]? {
        guard let missed = server.recent.after(snapshot.head) else { return nil }
        var changed: [String: WatchedDocument] = [:]
        for commit in missed {
            for step in commit.steps {
                switch step {
                case .publication(let framed):
                    let publication = framed.publication
                    guard let id = publication.document, publication.position > snapshot.head,
                        publication.stream == snapshot.stream || publication.secondStream == snapshot.stream,
                        pending.admits(id, snapshot)
                    else { continue }
                    guard let document = try? WatchedDocument(event: publication.payload[nil]) else { return nil }
                    changed[document.path] = document
                case .change(.accessRules): return nil
                case .change(.subscription(let user, _, isOn: false)) where user == identity.person?.id: return nil
                case .change: continue
                }
            }
        }
        guard changed.count <= Limits.watchPageDocuments else { return nil }
        var documents = snapshot.documents.filter { changed[$0.path] == nil }
        // Only who knows an earlier state must hear of what is gone.
        let tellsDeletions = pending.command.since != nil && snapshot.reset == nil
        documents += changed.values.filter { tellsDeletions || $0.data != nil }
        documents.sort { $0.path < $1.path }
        return documents
    }

    private static func body(
        of watch: DocumentWatch, _ documents: [WatchedDocument], _ snapshot: WatchSnapshot, head: Position
    ) -> [UInt8] {
        var body = JSONWriter(capacity: 1024)
        body.beginObject()
        body.member("path", watch.path.text)
        body.member("seq", head.value)
        if let reset = snapshot.reset { body.member("reset", reset.rawValue) }
        body.name("documents")
        body.beginArray()
        for document in documents { document.write(to: &body) }
        body.endArray()
        if let next = watch.stream.through { body.member("next", next) }
        body.endObject()
        return body.bytes
    }

    /// Ends the watch of a path whose answer could not be given.
    func dropWatch(of path: WatchedPath) {
        if let identity, let watch = identity.watches.find(path) { endWatch(watch, identity) }
    }

    /// Has a watch begun that no client's command asks for: one at a time is on its way.
    private func queueWatch(_ command: WatchCommand) {
        queue.append(CommandEnvelope(id: nil, name: WatchCommand.name, work: .watch(command)), bytes: 0)
    }

    /// Has the next begun of what a stream without commands asked for at its start.
    func queueAskedWatch() {
        guard let identity else { return }
        if let (path, since) = identity.watches.takeAsked() {
            queueWatch(WatchCommand(path: path, since: since))
        } else if identity.withholdsIDs {
            identity.awaitsLive = false
            let position = lookedThrough(identity)
            send(Event.live(seq: position), at: position)
        }
    }

    /// Says on a stream without replies what came of a watch, and goes on to its next page, or to the next watch.
    func tell(_ watch: PendingWatch, _ outcome: Outcome) {
        let path = watch.command.path
        switch outcome {
        case .success(let body) where server.mayAnswer(body.count):
            send(Event.documents(encoded: body))
            if let next = identity?.watches.find(path)?.stream.through {
                return queueWatch(WatchCommand(path: path, after: next))
            }
            queueAskedWatch()
        case .success:
            dropWatch(of: path)
            server.refused(.memory, connection.client)
            tellUnwatched(path, .overloaded)
        case .failure(let refusal): tellUnwatched(path, refusal)
        }
    }

    /// What a stream has asked for cannot be watched: goes on to the next, or ends what cannot become live without it.
    private func tellUnwatched(_ path: WatchedPath, _ refusal: Refusal) {
        send(Event.unwatched(path: path, reason: refusal.code))
        identity?.withholdsIDs == true ? close(.overloaded) : queueAskedWatch()
    }

    private func endWatch(_ watch: DocumentWatch, _ identity: SessionIdentity) {
        identity.watches.remove(watch.stream.stream)
        server.watchers.remove(address.slot, from: watch.stream.stream)
        server.settings.metrics.watches.subtract(1, ordering: .relaxed)
    }

    /// The session ends, and its watches with it.
    func endWatches(_ identity: SessionIdentity) {
        for watch in identity.watches.byStream.values { endWatch(watch, identity) }
        identity.watches.pending = nil
    }

    /// The user has stopped following a topic: what he watched because of it ends.
    func endWatches(following topic: StreamID) {
        guard let identity else { return }
        for watch in identity.watches.byStream.values where watch.isWhileFollowing && watch.topic == topic {
            revoke(watch, identity)
        }
    }

    /// The access rules are others now: what they do not allow ends.
    func applyRules(_ rules: AccessRules) {
        guard let identity else { return }
        for watch in identity.watches.byStream.values {
            switch grant(of: watch.path, by: rules, identity)?.forWatching {
            case .always: identity.watches.setWhileFollowing(false, watch.stream.stream)
            case .whileFollowing:
                if let topic = watch.topic, server.hub.isSubscribed(address.slot, to: topic) {
                    identity.watches.setWhileFollowing(true, watch.stream.stream)
                } else {
                    revoke(watch, identity)
                }
            case .byContent, nil: revoke(watch, identity)
            }
        }
        if identity.person == nil, identity.watches.byStream.isEmpty, !identity.awaitsLive {
            close(.unauthenticated, reason: "none of the watched documents is open to anyone")
        }
    }

    private func grant(
        of path: WatchedPath, by rules: AccessRules, _ identity: SessionIdentity
    ) -> ReadGrant? {
        guard let person = identity.person else { return rules.isOpen(path) ? .always : nil }
        return rules.grant(of: path, to: person.name, server.settings.opened.collections)
    }

    private func revoke(_ watch: DocumentWatch, _ identity: SessionIdentity) {
        endWatch(watch, identity)
        server.settings.metrics.watchesRevoked.add(1, ordering: .relaxed)
        send(Event.unwatched(path: watch.path, reason: .notFound))
    }

    /// The log no longer holds all that was to be told: the client watches again.
    func endWatchesUntold(_ identity: SessionIdentity) {
        for watch in identity.watches.byStream.values {
            endWatch(watch, identity)
            send(Event.unwatched(path: watch.path, reason: .unavailable))
        }
    }
}

extension WatchedPath {
    /// Whether it is one document, rather than those of a collection.
    var isDocument: Bool {
        if case .document = self { true } else { false }
    }
}

extension LoopServer {
    /// Answers the watches that wait for the commit that was just delivered.
    func answerHeldWatches() {
        guard !heldWatches.isEmpty else { return }
        let slots = heldWatches
        heldWatches = []
        for slot in slots { withSession(in: slot) { $0.answerWatch() } }
    }

    /// A session's watch waits for the next commit.
    func holdWatch(of slot: Slot) { heldWatches.append(slot) }

    /// The table of access rules has changed with the commit that is being delivered.
    func applyRules(_ text: String) {
        let slots = watchers.slots
        guard !slots.isEmpty else { return }
        let rules: AccessRules
        do {
            rules = try AccessRules(StoredJSON.object(text, place: "rules"))
        } catch {
            // They were compiled before they were stored; if not, nobody may watch.
            settings.log.error("the access rules cannot be read", ["error": "\(error)"])
            rules = AccessRules()
        }
        for slot in slots { withSession(in: slot) { $0.applyRules(rules) } }
    }
}
