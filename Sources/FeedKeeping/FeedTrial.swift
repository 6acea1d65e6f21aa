import ClientProtocol
import EventLoop
import Feeds
import JSON
import Mail
import Model
import Outbound
import Peers
import Services
import Store
import Telemetry

/// A feed that is fetched once to see what would be written; nothing is.
struct FeedTrial {
    let definition: FeedDefinition
    let key: String?
    let address: ConnectionAddress
    var queue: [FeedTarget]
    var requests: [JSONValue] = []
    var documents: [JSONValue] = []

    var json: JSONObject {
        [
            "name": .string(definition.name), "requests": .array(requests), "documents": .array(documents),
            "left": .integer(Int64(queue.count)),
        ]
    }
}

extension FeedKeeper {
    /// Begins a trial. A stored key stands in where none is given, for the source that it was given for.
    func tryOut(_ definition: FeedDefinition, _ secret: FeedSecret?, for address: ConnectionAddress) {
        let stored = feeds[definition.name]
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
            guard timer != nil else {
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
            status: answer.status, of: target, retryAfter: answer["Retry-After"], body: answer.body, now: clock.now())
        switch verdict {
        case .content: break
        case .unchanged: return
        case .gone: row["error"] = "the source does not have it"
        case .limited: row["error"] = "it asks for fewer requests"
        case .refused(let reason), .failed(let reason, _): row["error"] = .string(reason)
        }
        guard verdict == .content else { return }
        let definition = trial.definition
        do {
            let findings = try definition.read(
                answer.body, of: target, contentType: answer["Content-Type"], now: clock.now())
            row["found"] = .integer(Int64(findings.drafts.count))
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
        try news(findings, feed, in: transaction).map { draft in
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
        guard mail.loops.indices.contains(address.loop) else { return }
        metrics.peerMemory.sent(outcome.bodyBytes)
        mail.loops[address.loop].post(.outcome(address, .request, outcome))
    }
}
