import ClientProtocol
import EventLoop
import Execution
import Feeds
import Model
import Outbound
import Services
import Store
import Synchronization
import Telemetry
import ThreadMessages

extension FeedKeeper {
    /// Asks for one thing.
    func fetch(_ target: FeedTarget, of work: FeedWork) {
        let known = work.known[target.key]?.validators ?? FeedValidators()
        let request = work.definition.request(for: target, key: work.key, validators: known)
        metrics.feedRequests.add(1)
        client.send(OutboundRequest(request)) { [unowned self] result in
            // The client is closed and with it the thread's work.
            guard timer != nil else { return }
            answered(target, of: work.definition.name, work.number, result)
            goOn()
        }
    }

    private func answered(
        _ target: FeedTarget, of name: String, _ number: Int, _ result: Result<OutboundAnswer, OutboundFailure>
    ) {
        guard let work = feeds[name], work.number == number else { return }
        let answer: OutboundAnswer
        switch result {
        case .success(let success): answer = success
        case .failure(let failure): return failed(target, of: name, failure.description)
        }
        let verdict = FeedVerdict(
            status: answer.status, of: target, retryAfter: answer["Retry-After"], location: answer["Location"],
            body: answer.body, now: clock.now())
        switch verdict {
        case .content: read(answer, of: target, work)
        case .unchanged:
            succeeded(target, of: name, nil, more: work.known[target.key]?.more)
            noteUnchanged(name)
        case .gone:
            // It may come: then it is new, and until then it is asked for no more often than everything else. Its
            // earlier document stays.
            log.debug("a source does not have what a feed asks for", ["feed": name, "target": target.key])
            if target == .channel { return failed(target, of: name, "it answered with status \(answer.status)") }
            succeeded(target, of: name, FeedValidators(), more: nil)
        case .refused(let reason): failed(target, of: name, reason, endsRound: true)
        case .moved(let status, let place):
            // The new address may repeat a key of the old one: no log has addresses, and a source with a key gets none shown.
            failed(
                target, of: name,
                FeedVerdict.moved(status, to: work.key == nil ? place : nil, from: work.definition.url),
                logged: FeedVerdict.moved(status, to: nil, from: work.definition.url), endsRound: true)
        case .limited(let wait): failed(target, of: name, "it asks for fewer requests", endsRound: true, wait: wait)
        case .failed(let reason, let wait): failed(target, of: name, reason, endsRound: wait != nil, wait: wait)
        }
    }

    private func read(_ answer: OutboundAnswer, of target: FeedTarget, _ work: FeedWork) {
        let name = work.definition.name
        do {
            let findings = try work.definition.read(
                answer.body, of: target, contentType: answer["Content-Type"],
                contentEncoding: answer["Content-Encoding"], now: clock.now())
            note(findings.remarks, of: target, name)
            let drafts = try reader.read { try findings.news(of: work.definition, in: $0) }
            let validators = FeedValidators(entityTag: answer["ETag"], lastModified: answer["Last-Modified"])
            let isImported = work.known[target.key]?.isImported ?? false
            guard !drafts.isEmpty || !isImported else {
                succeeded(target, of: name, validators, more: findings.more)
                return noteUnchanged(name)
            }
            let batches = stride(from: 0, to: max(drafts.count, 1), by: DocumentLimits.batchMax)
                .map { Array(drafts[$0..<min($0 + DocumentLimits.batchMax, drafts.count)]) }
            write(
                FeedWrite(
                    feed: name, work: work.number, target: target, validators: validators, findings: findings,
                    rest: batches[...], isQuiet: work.definition.isFirstFetchQuiet && !isImported))
        } catch {
            failed(target, of: name, "\(error)")
        }
    }

    /// Sends the next batch to the writer.
    private func write(_ write: FeedWrite) {
        var write = write
        let drafts = write.rest.popFirst() ?? []
        let work = feeds[write.feed]
        let progress = write.rest.isEmpty ? work?.progress(write.target, write.validators, at: clock.now()) : nil
        if write.rest.isEmpty { write.forgotten = work?.forgotten ?? [] }
        let number = newNumber()
        writes[number] = write
        post(
            ApplyFeed(
                feed: write.feed, drafts: drafts, progress: progress ?? [],
                forgotten: Array(write.forgotten), isQuiet: write.isQuiet),
            number: number)
        // It is removed before its progress is written again, and must not be removed after that.
        feeds[write.feed]?.forgotten.remove(write.target.key)
    }

    /// The writer has answered.
    func written(_ number: Int, _ outcome: Outcome) {
        guard let write = writes.removeValue(forKey: number) else { return }
        guard feeds[write.feed]?.number == write.work else { return }
        switch outcome {
        case .failure(let refusal):
            // That is no failure of the source.
            if refusal.code.errorClass == .retry {
                feeds[write.feed]?.putOff(write.target, until: loop.now + FeedLimits.storageRetryMilliseconds)
            } else {
                failed(write.target, of: write.feed, refusal.message)
            }
        case .success(let answer):
            if case .feedWritten(let count, let tooLong) = answer.fact {
                for path in tooLong {
                    log.warning(
                        "a document of a feed would be too long and is not changed",
                        ["feed": write.feed, "path": path.text])
                }
                feeds[write.feed]?.status.written += count
                metrics.feedDocuments.add(count)
            }
            guard write.rest.isEmpty else { return self.write(write) }
            feeds[write.feed]?.forgotten.subtract(write.forgotten)
            feeds[write.feed]?.known[write.target.key, default: FeedWork.Known()].isImported = true
            succeeded(write.target, of: write.feed, write.validators, more: write.findings.more)
        }
    }

    /// Shows the oddities of an answer, and logs that there are some when they are new.
    private func note(_ remarks: [String], of target: FeedTarget, _ name: String) {
        let remark = remarks.isEmpty ? nil : remarks.joined(separator: "; ")
        // Of a feed with many targets the last one that has a remark is shown until it has none.
        let isShown = remark != nil || feeds[name]?.remarkOf == target.key
        guard isShown, feeds[name]?.status.remark != remark else { return }
        feeds[name]?.status.remark = remark
        feeds[name]?.remarkOf = target.key
        // The remark may quote addresses, which no log has.
        if remark != nil {
            log.warning("an answer of a feed has mistakes, and was read; the list of feeds says which", ["feed": name])
        }
    }

    private func noteUnchanged(_ name: String) {
        feeds[name]?.status.unchanged += 1
        metrics.feedUnchanged.add(1)
    }

    /// - Parameter validators: nil when those that are known still hold.
    private func succeeded(
        _ target: FeedTarget, of name: String, _ validators: FeedValidators?, more: [FeedTarget]?
    ) {
        guard var work = feeds[name] else { return }
        work.underWay.remove(target.key)
        var known = work.known[target.key] ?? FeedWork.Known()
        if let validators { known.validators = validators }
        let now = clock.now()
        known.checked = work.roundBegan ?? now
        known.more = more
        known.pace.succeeded()
        work.known[target.key] = known
        work.sourceIsWell()
        work.status.lastSuccess = now
        work.enqueue((more ?? []).filter { work.isDue($0, now: now, tick: loop.now) })
        if work.failing.removeValue(forKey: target.key) != nil, work.failing.isEmpty {
            log.info("a feed works again", ["feed": name])
        }
        feeds[name] = work
    }

    /// - Parameters:
    ///   - logged: the reason as the log has it, where that is not the same.
    ///   - endsRound: whether no other request would fare better.
    ///   - wait: what the source asks for.
    private func failed(
        _ target: FeedTarget, of name: String, _ reason: String, logged: String? = nil, endsRound: Bool = false,
        wait: Int64? = nil
    ) {
        guard var work = feeds[name] else { return }
        metrics.feedFailures.add(1)
        work.status.failures += 1
        work.status.lastError = "\(target.key): \(reason)"
        work.status.lastErrorAt = clock.now()
        if work.failing.isEmpty {
            log.warning("a feed fails", ["feed": name, "target": target.key, "error": logged ?? reason])
        }
        if work.failed(target, reason, ofSource: endsRound, wait: wait, at: loop.now, using: &random) {
            log.warning("the source of a feed fails; the feed pauses", ["feed": name, "error": logged ?? reason])
        }
        feeds[name] = work
    }
}

extension OutboundRequest {
    /// A request of a feed, with the bounds of feeds.
    init(_ request: FeedRequest) {
        self.init(
            url: request.url, fields: request.fields.map { Field($0.name, $0.value) },
            connectMilliseconds: FeedLimits.connectMilliseconds, totalMilliseconds: FeedLimits.answerMilliseconds,
            answerBytesMax: FeedLimits.answerBytesMax)
    }
}
