import Authentication
package import ClientProtocol
import Execution
import JSON
package import Model
import Services
import TriggerExecution
import Wire

/// Webhooks and dead letters: `/v1/webhooks…` and `/v1/dead…`.
///
/// - Confinement: any
enum WebhookRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "webhooks", .read, "webhook.list",
            form: RouteForm("The endpoints of webhooks.", [.need("webhooks", .list(.object(RouteAnswers.webhook)))])
        ) { call in .read(ListWebhooks()) },
        AdminRoute(
            "GET", "webhooks/deliveries", .read, "delivery.list",
            form: RouteForm(
                "Calls of webhooks.",
                query: [
                    .may("webhook", .number), .may("trigger", .triggerName),
                    .may("state", .words(["pending", "delivered", "dead"])), .before, .limit,
                ], [.need("deliveries", .list(.object(RouteAnswers.delivery))), .next])
        ) { call throws(Refusal) in
            .read(
                ListWebhookDeliveries(
                    endpoint: call.query("webhook"), trigger: try call.trigger(), state: call.query("state"),
                    before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "POST", "webhooks/deliveries/{id}/replay", .operate, "delivery.replay",
            form: RouteForm("Calls a webhook again.", [.need("replayed", .count)])
        ) { call throws(Refusal) in
            let id = try call.number(of: "delivery")
            return .write(ReplayWebhooks(.one(id), key: try call.request.key()))
        },
        AdminRoute(
            "POST", "webhooks/replay", .operate, "webhook.replay", details: ["trigger", "since"],
            form: RouteForm(
                "Calls a trigger's webhook again for all changes since.",
                body: .object(
                    [.need("trigger", .text(1...Int.max)), .need("since", .either([.position, .time]))]),
                [.need("replayed", .count)])
        ) { call throws(Refusal) in .write(ReplayWebhooks(try call.selection(), key: try call.request.key())) },
        AdminRoute(
            "POST", "webhooks/{id}/enable", .operate, "webhook.enable",
            form: RouteForm(
                "Lets an endpoint be called again.",
                [.need("id", .number), .need("url", .sentence), .need("wasDisabled", .flag)])
        ) { call throws(Refusal) in
            .write(EnableWebhook(id: try call.number(of: "webhook"), key: try call.request.key()))
        },
        AdminRoute(
            "GET", "dead", .read, "dead.list",
            form: RouteForm(
                "Jobs and triggers that gave up.", query: [.may("trigger", .triggerName), .before, .limit],
                [.need("dead", .list(.object(RouteAnswers.dead))), .next])
        ) { call throws(Refusal) in
            .read(ListDead(trigger: try call.trigger(), before: call.query("before"), limit: try call.request.limit()))
        },
        AdminRoute(
            "DELETE", "dead/{id}", .operate, "dead.delete",
            form: RouteForm("Forgets a dead letter.", [.need("id", .count)])
        ) { call throws(Refusal) in .write(DeleteDead(id: try call.number(of: "dead letter"))) },
        AdminRoute(
            "POST", "dead/{id}/retry", .operate, "dead.retry",
            form: RouteForm(
                "Tries a dead letter again.",
                [
                    .need("id", .count), .need("kind", .words(["trigger", "webhook", "push"])), .may("queued", .flag),
                    .may("triggers", .list(TriggerAnswers.effect)),
                ])
        ) { call throws(Refusal) in
            .write(RetryDead(id: try call.number(of: "dead letter"), key: try call.request.key()))
        },
    ]
}

extension AdminCall {
    /// `{"trigger": "director-release", "since": 4711}`, or a time for `since`.
    fileprivate func selection() throws(Refusal) -> WebhookSelection {
        let body = try request.object()
        try body.allow(["trigger", "since"])
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
    package func chain() throws(Refusal) -> TriggerChain {
        let values = head.headers.values(TriggerChain.headerName)
        guard !values.isEmpty else { return .none }
        guard let chain = TriggerChain(values.joined(separator: ",")) else {
            throw Refusal.badRequest(field: TriggerChain.headerName, "must be \(TriggerChain.form)")
        }
        return chain
    }
}
