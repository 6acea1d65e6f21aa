import Authentication
package import Configuration
package import EventLoop
import Execution
import Model
package import Outbound
import Services
package import Store
import Synchronization
package import Telemetry
package import ThreadMessages
import Webhooks

/// Sends the webhooks that triggers have queued, on a thread of its own. It looks for due jobs when the writer says
/// that there may be some, and hands the results back to the writer.
///
/// A result counts when the database shows it. Until then the job is not sent again, and a result that the writer could
/// not commit is handed over again. When the process ends before a result is committed, the next process sends the job
/// again.
///
/// On a member of a cluster only the node that leads sends. A node that leads no more forgets what it was about, as a
/// process that ends; the next one, or itself when it leads again, finds the jobs in the database.
///
/// - Confinement: store (its own thread)
package final class WebhookSender {

    /// The HTTP clients; plain http has a narrower one.
    package struct Clients {
        let encrypted: OutboundClient
        let plain: OutboundClient

        package init(encrypted: OutboundClient, plain: OutboundClient) {
            self.encrypted = encrypted
            self.plain = plain
        }
    }

    private let loop: Loop
    private let reader: Reader
    private let clients: Clients
    private let writer: Mailbox<WriterMessage>
    private let configuration: WebhookConfiguration
    private var keys: WebhookKeys
    private let clock: WallClock
    private let metrics: Metrics
    private let log: ServerLog
    private var lines: [Int64: WebhookLine] = [:]
    private var results = WebhookResults()
    /// The earliest time to ask the writer again to set surplus jobs aside.
    private var surplusFrom: Int64 = .min
    private static let surplusMilliseconds: Int64 = 50
    private var lookedAt: Int64 = 0
    /// The number of waiting jobs, and when they were counted.
    private var pending: (count: Int64, at: Int64) = (0, 0)
    private var keyProblem: String?
    private var keysWantedAt: Int64 = .min
    private var timer: LoopTimer?
    private var random = SystemRandomNumberGenerator()
    private var isOnDuty: Bool
    /// How often the duty has ended: answers to requests of an earlier duty are not used.
    private var duties = 0

    /// - Parameter isOnDuty: whether it sends from the beginning; otherwise a message begins its duty.
    package init(
        reader: Reader, clients: Clients, writer: Mailbox<WriterMessage>, configuration: ServerConfiguration,
        metrics: Metrics, log: ServerLog, isOnDuty: Bool = true, on loop: Loop
    ) {
        self.isOnDuty = isOnDuty
        self.reader = reader
        self.clients = clients
        self.writer = writer
        self.configuration = configuration.webhooks
        keys = WebhookKeys(configuration.webhooks, inFolder: configuration.data)
        clock = configuration.clock
        self.metrics = metrics
        self.log = log
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in look() }
        lookSoon()
    }

    /// Handles messages of other threads.
    ///
    /// - Returns: true when it has stopped.
    package func receive(_ messages: [WebhookMessage]) -> Bool {
        for message in messages {
            switch message {
            case .look: continue
            case .duty(let isOn): setDuty(isOn)
            case .stop:
                // The results still arrive: the writer stops later than this thread.
                handOver()
                timer?.close()
                timer = nil
                clients.encrypted.close()
                clients.plain.close()
                return true
            }
        }
        lookSoon()
        return false
    }

    private func setDuty(_ isOn: Bool) {
        guard isOn != isOnDuty else { return }
        isOnDuty = isOn
        guard !isOn else { return }
        duties += 1
        (lines, results) = ([:], WebhookResults())
        metrics.webhooks.pending.set(0)
        timer?.stop()
    }

    /// Commits arrive in quick succession; one look serves all of some milliseconds.
    private func lookSoon() {
        guard isOnDuty else { return }
        timer?.start(afterMilliseconds: max(0, lookedAt + WebhookLimits.lookPauseMilliseconds - loop.now))
    }

    private func look() {
        lookedAt = loop.now
        let now = clock.now()
        var wait = WebhookLimits.lookMilliseconds
        do {
            let found = try reader.read { try find(in: $0, at: now) }
            for delivery in found.deliveries { send(delivery) }
            if let next = found.next { wait = min(wait, max(1, next.milliseconds - now.milliseconds)) }
            // Results that were handed over earlier are not affected: this asks only about jobs that will never be
            // sent.
            if found.hasSurplus {
                wait = min(wait, Self.surplusMilliseconds)
                if loop.now >= surplusFrom {
                    surplusFrom = loop.now + Self.surplusMilliseconds
                    submit([])
                }
            }
        } catch {
            log.error("webhooks could not be read", ["error": "\(error)"])
            wait = WebhookLimits.resultRepeatMilliseconds
        }
        handOver()
        if !results.isEmpty { wait = min(wait, configuration.pace.resultRepeatMilliseconds) }
        if keyProblem != nil { wait = min(wait, configuration.pace.secretRetryMilliseconds) }
        timer?.start(afterMilliseconds: wait)
    }
}

@available(*, unavailable)
extension WebhookSender: Sendable {}

// MARK: - Finding jobs

extension WebhookSender {
    private struct Found {
        var deliveries: [WebhookDelivery] = []
        /// The due time of the next job that must still wait.
        var next: Timestamp?
        /// Whether there are jobs that will never be sent.
        var hasSurplus = false

        mutating func wake(at time: Timestamp) { next = min(next ?? time, time) }
    }

    private func find(in transaction: Transaction, at now: Timestamp) throws -> Found {
        let webhooks = transaction.webhooks
        try results.settle(triesOfWaiting: webhooks.triesOfWaiting)
        var found = Found()
        // Counting many jobs takes milliseconds.
        if pending.count < WebhookLimits.pendingCountedMax || loop.now - pending.at >= 1_000 {
            pending = (try webhooks.countPending(), loop.now)
        }
        metrics.webhooks.pending.set(Int(pending.count))
        found.hasSurplus = pending.count > WebhookLimits.pendingMax
        let endpoints = try webhooks.endpoints()
        metrics.webhooks.disabled.set(endpoints.count { $0.disabledAt != nil })
        guard pending.count > 0, areKeysHere() else { return found }
        // Each time another endpoint is the first to use the free requests.
        let underWay = lines.values.reduce(0) { $0 + $1.underWay.count }
        var free = min(WebhookLimits.requestsMax - underWay, WebhookLimits.resultsMax - results.count)
        let first = endpoints.isEmpty ? 0 : Int.random(in: 0..<endpoints.count, using: &random)
        for endpoint in endpoints[first...] + endpoints[..<first] {
            if endpoint.disabledAt != nil {
                found.hasSurplus = try found.hasSurplus || !webhooks.waiting(for: endpoint.id, limit: 1).isEmpty
            } else {
                try take(endpoint, from: webhooks, at: now, &free, into: &found)
            }
        }
        return found
    }

    private func take(
        _ endpoint: WebhookEndpoint, from webhooks: WebhookTable<ReadAccess>, at now: Timestamp, _ free: inout Int,
        into found: inout Found
    ) throws {
        let line = lines[endpoint.id] ?? WebhookLine(isFailing: endpoint.failures > 0)
        lines[endpoint.id] = line
        let most = min(line.free(at: now), free)
        let busy = line.underWay.count + results.count
        for job in try webhooks.waiting(for: endpoint.id, limit: most + busy + 1) {
            guard !line.underWay.contains(job.id), !results.holds(job.id) else { continue }
            // No attempt is delayed by more than a day: a job with a later time was delayed by a clock that was ahead.
            let latest = now.adding(milliseconds: 2 * WebhookLimits.retryAfterMilliseconds.upperBound)
            guard job.due <= now || job.due > latest else { return found.wake(at: job.due) }
            if let pausedUntil = line.pausedUntil, now < pausedUntil { return found.wake(at: pausedUntil) }
            // Jobs without a free request are found again when an answer has arrived.
            guard (lines[endpoint.id] ?? line).free(at: now) > 0, free > 0 else { return }
            guard let data = try webhooks.data(of: job.id) else { continue }
            lines[endpoint.id]?.begin(job.id)
            free -= 1
            found.deliveries.append(WebhookDelivery(job: job, url: endpoint.url, data: data))
        }
    }

    /// Whether there are secrets to sign with: without them nothing is sent. A problem with them is logged once.
    private func areKeysHere() -> Bool {
        guard loop.now >= keysWantedAt else { return false }
        do throws(ServerSecretError) {
            _ = try keys.secrets(tick: loop.now)
            if keyProblem != nil { log.info("the secret of webhooks can be read again") }
            keyProblem = nil
            return true
        } catch {
            if keyProblem != error.description {
                log.error("webhooks wait: their secret cannot be read", ["error": error.description])
            }
            keyProblem = error.description
            keysWantedAt = loop.now + configuration.pace.secretRetryMilliseconds
            return false
        }
    }
}

// MARK: - Sending, and the results

extension WebhookSender {
    private func send(_ delivery: WebhookDelivery) {
        let began = loop.now
        let now = clock.now()
        guard let secrets = try? keys.secrets(tick: began) else {
            lines[delivery.job.endpoint]?.giveBack(delivery.job.id)
            return
        }
        let isPlain = delivery.url.lowercased().hasPrefix("http:")
        let request = WebhookRequest.make(delivery, configuration, signedWith: secrets, at: now)
        let client = isPlain ? clients.plain : clients.encrypted
        client.send(request) { [unowned self, duties] result in
            // The thread is stopping, or its duty has ended: the next server sends the running requests again.
            guard timer != nil, duties == self.duties else { return }
            if case .success = result {
                metrics.webhooks.answers.add(1)
                metrics.webhooks.answerMilliseconds.add(Int(loop.now - began))
            }
            ended(delivery, result, isPlain: isPlain)
        }
    }

    private func ended(
        _ delivery: WebhookDelivery, _ result: Result<OutboundAnswer, OutboundFailure>, isPlain: Bool
    ) {
        let job = delivery.job
        let now = clock.now()
        let verdict = WebhookVerdict(
            result, attempts: job.attempts + 1, isPlain: isPlain, pace: configuration.pace, at: now, using: &random)
        let attempt = WebhookAttempt(
            job: job.id, number: job.tries + 1, at: now, status: verdict.status, answer: verdict.answer,
            outcome: verdict.outcome)
        results.add(attempt)
        tell(delivery, verdict, hasTurned: lines[job.endpoint]?.end(job.id, verdict, at: now))
        lookSoon()
    }

    /// - Parameter hasTurned: true when the endpoint begins to fail, false when it stops failing; nil when nothing
    ///   changes.
    private func tell(_ delivery: WebhookDelivery, _ verdict: WebhookVerdict, hasTurned: Bool??) {
        // The address may contain secrets of its owner: the host is enough for the log.
        let place: KeyValuePairs = [
            "webhook": "\(delivery.job.endpoint)", "host": WebhookRequest.host(of: delivery.url),
            "trigger": delivery.job.trigger, "answer": verdict.answer,
        ]
        switch verdict.outcome {
        case .gone: log.warning("the endpoint of a webhook is disabled: it answered 410", place)
        case .dead: log.warning("a webhook failed for good: it is among the dead letters", place)
        case .delivered where hasTurned == .some(.some(false)): log.info("the endpoint of a webhook works again", place)
        case .retry where hasTurned == .some(.some(true)):
            log.warning("a webhook was not delivered; the server will try again", place)
        case .delivered, .retry: return
        }
    }

    private func handOver() {
        let due = results.due(at: loop.now, repeatMilliseconds: configuration.pace.resultRepeatMilliseconds)
        if !due.isEmpty { submit(due) }
    }

    private func submit(_ attempts: [WebhookAttempt]) {
        metrics.writesPending.add(1)
        let request = WriteRequest(actor: .server, at: clock.now(), useCase: SettleWebhooks(attempts))
        writer.post(.write(WriteOrder(address: nil, ticket: .none, request: request)))
    }
}
