import ClientProtocol
import EventLoop
import Execution
import Feeds
import JSON
import Model
import Outbound
import Quotas
import Services
import Store
import Telemetry
import ThreadMessages

/// Fetches feeds for trials.
///
/// - Confinement: loop
final class FeedTrials {
    private let reader: Reader
    private let client: OutboundClient
    private let clock: WallClock
    private let metrics: Metrics
    private let log: ServerLog
    private let loops: [Mailbox<LoopMessage>]
    private var isStopping = false

    /// - Parameter loops: to which the outcomes go.
    init(
        _ reader: Reader, _ client: OutboundClient, _ clock: WallClock, _ metrics: Metrics, _ log: ServerLog,
        answering loops: [Mailbox<LoopMessage>]
    ) {
        self.reader = reader
        self.client = client
        self.clock = clock
        self.metrics = metrics
        self.log = log
        self.loops = loops
    }

    /// The thread ends: requests under way are answered so.
    func stop() { isStopping = true }

    /// Begins a trial. The stored key is used where none is given, for the source that it was given for.
    ///
    /// - Parameter stored: the feed of the same name, if there is one.
    func begin(
        _ definition: FeedDefinition, _ secret: FeedSecret?, _ stored: FeedWork?, for address: ConnectionAddress
    ) {
        let isSame = stored?.definition.kind == definition.kind && stored?.definition.origin == definition.origin
        let key = secret.map(\.text) ?? (isSame ? stored?.key : nil)
        do {
            let wanted = try reader.read { transaction in
                try definition.targets { try transaction.feeds.followed(kind: $0, limit: FeedLimits.followedMax) }
            }
            goOn(with: FeedTrial(definition: definition, key: key, address: address, queue: wanted.reversed()))
        } catch {
            log.error("the follows cannot be read", ["feed": definition.name, "error": "\(error)"])
            tell(address, .failure(Refusal(.internal, "the follows cannot be read; the log says why")))
        }
    }

    /// One request after the other, until there are enough.
    private func goOn(with trial: FeedTrial) {
        var trial = trial
        guard trial.requests.count < FeedLimits.trialRequestsMax,
            trial.documents.count < FeedLimits.trialDocumentsMax, let target = trial.queue.popLast()
        else {
            return tell(trial.address, .success(EncodedAnswer(JSONValue.object(trial.json).bytes)))
        }
        let request = trial.definition.request(for: target, key: trial.key, validators: FeedValidators())
        client.send(OutboundRequest(request)) { [unowned self] result in
            guard !isStopping else {
                return tell(trial.address, .failure(Refusal(.unavailable, "the server stops")))
            }
            var row: JSONObject = ["target": .string(target.key), "url": .string(request.shownURL)]
            switch result {
            case .failure(let failure): row["error"] = .string(failure.description)
            case .success(let answer):
                row["status"] = .integer(Int64(answer.status))
                row["bytes"] = .integer(Int64(answer.body.count))
                take(answer, of: target, into: &trial, row: &row)
            }
            trial.requests.append(.object(row))
            goOn(with: trial)
        }
    }

    private func take(
        _ answer: OutboundAnswer, of target: FeedTarget, into trial: inout FeedTrial, row: inout JSONObject
    ) {
        let verdict = FeedVerdict(
            status: answer.status, of: target, retryAfter: answer["Retry-After"], location: answer["Location"],
            body: answer.body, now: clock.now())
        switch verdict {
        case .content: break
        case .unchanged: return
        case .gone: row["error"] = "the source does not have it"
        case .limited: row["error"] = "it asks for fewer requests"
        case .refused(let reason), .failed(let reason, _): row["error"] = .string(reason)
        case .moved(let status, let place):
            let url = row["url"]?.stringValue ?? ""
            row["error"] = .string(FeedVerdict.moved(status, to: trial.key == nil ? place : nil, from: url))
        }
        guard verdict == .content else { return }
        let definition = trial.definition
        do {
            let findings = try definition.read(
                answer.body, of: target, contentType: answer["Content-Type"],
                contentEncoding: answer["Content-Encoding"], now: clock.now())
            row["found"] = .integer(Int64(findings.drafts.count))
            if !findings.remarks.isEmpty { row["remark"] = .string(findings.remarks.joined(separator: "; ")) }
            trial.documents += try reader.read { try self.documents(findings, definition, in: $0) }
                .prefix(max(0, FeedLimits.trialDocumentsMax - trial.documents.count))
            trial.queue = findings.more.reversed() + trial.queue
        } catch {
            row["error"] = .string("\(error)")
        }
    }

    private func documents(
        _ findings: FeedFindings, _ feed: FeedDefinition, in transaction: Transaction
    ) throws -> [JSONValue] {
        try findings.news(of: feed, in: transaction).map { draft in
            let stored = try transaction.storedDocument(draft.path)
            switch draft.outcome(over: stored) {
            case .put(let data):
                let change: JSONValue = stored == nil ? "create" : "update"
                return ["path": .string(draft.path.text), "change": change, "data": .object(data)]
            case .delete, .nothing: return ["path": .string(draft.path.text), "change": "delete", "data": nil]
            }
        }
    }

    private func tell(_ address: ConnectionAddress, _ outcome: Outcome) {
        guard loops.indices.contains(address.loop) else { return }
        metrics.peerMemory.sent(outcome.bodyBytes)
        loops[address.loop].post(.outcome(address, .request, outcome))
    }
}

@available(*, unavailable)
extension FeedTrials: Sendable {}
