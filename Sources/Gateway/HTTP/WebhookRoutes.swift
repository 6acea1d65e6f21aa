import ClientProtocol
import Execution
import JSON
import Model
import Services
import Wire

/// Webhooks and dead letters: `/v1/webhooks…` and `/v1/dead…`.
///
/// - Confinement: loop
struct WebhookRoutes: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    /// - Parameter rest: segments after `webhooks`.
    func webhooks(_ rest: [String]) throws(Refusal) -> Route {
        let actor = try administrator()
        switch (rest.first, rest.dropFirst().first, rest.dropFirst(2).first) {
        case (nil, _, _): return try read(ListWebhooks(), actor)
        case ("deliveries", nil, _): return try read(deliveries(), actor)
        case ("deliveries", let id?, "replay") where rest.count == 3:
            guard method == "POST" else { return notAllowed("POST") }
            return .write(ReplayWebhooks(.one(try number(id, of: "delivery")), key: try call.key()), actor)
        case ("replay", nil, _):
            guard method == "POST" else { return notAllowed("POST") }
            return .write(ReplayWebhooks(try selection(), key: try call.key()), actor)
        case (let id?, "enable", nil):
            guard method == "POST" else { return notAllowed("POST") }
            return .write(EnableWebhook(id: try number(id, of: "webhook"), key: try call.key()), actor)
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// - Parameter rest: segments after `dead`.
    func dead(_ rest: [String]) throws(Refusal) -> Route {
        let actor = try administrator()
        guard let id = rest.first else {
            return try read(
                ListDead(
                    trigger: call.head.target.queryValue("trigger"), before: call.head.target.queryValue("before"),
                    limit: try call.limit()), actor)
        }
        let number = try number(id, of: "dead letter")
        switch (rest.dropFirst().first, method) {
        case (nil, "DELETE"): return .write(DeleteDead(id: number), actor)
        case (nil, _): return notAllowed("DELETE")
        case ("retry", "POST") where rest.count == 2:
            return .write(RetryDead(id: number, key: try call.key()), actor)
        case ("retry", _) where rest.count == 2: return notAllowed("POST")
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    private func read(_ useCase: any ReadUseCase, _ actor: Actor) throws(Refusal) -> Route {
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        return .read(useCase, actor)
    }

    private func number(_ text: String, of what: String) throws(Refusal) -> Int64 {
        guard let number = Int64(text), number > 0 else { throw Refusal(.notFound, "there is no \(what) \(text)") }
        return number
    }

    private func deliveries() throws(Refusal) -> ListWebhookDeliveries {
        let query = call.head.target.queryValue
        return ListWebhookDeliveries(
            endpoint: query("webhook"), trigger: query("trigger"), state: query("state"), before: query("before"),
            limit: try call.limit())
    }

    /// `{"trigger": "director-release", "since": 4711}`, or a time for `since`.
    private func selection() throws(Refusal) -> WebhookSelection {
        let body = try call.object()
        guard let trigger = body["trigger"]?.stringValue, !trigger.isEmpty else {
            throw Refusal.badRequest(field: "trigger", "must be the name of a trigger")
        }
        if let position = body["since"]?.integerValue, (0..<Position.bound).contains(position) {
            return .delivered(trigger: trigger, after: Position(position))
        }
        guard let time = body["since"]?.stringValue.flatMap(Timestamp.init) else {
            throw Refusal.badRequest(
                field: "since",
                "must be a position, or a time such as 2026-11-21T10:00:00Z; everything after it is sent")
        }
        return .deliveredFrom(trigger: trigger, time)
    }
}

extension HTTPCall {
    /// The triggers through which a write came about: `Watchwise-Chain`, as a webhook bore it.
    ///
    /// - Throws: `Refusal` naming the header when it is not of the form.
    func chain() throws(Refusal) -> TriggerChain {
        let values = head.headers.values(TriggerChain.headerName)
        guard !values.isEmpty else { return .none }
        guard let chain = TriggerChain(values.joined(separator: ",")) else {
            throw Refusal.badRequest(field: TriggerChain.headerName, "must be \(TriggerChain.form)")
        }
        return chain
    }
}
