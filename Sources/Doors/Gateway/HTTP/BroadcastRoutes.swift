import Authentication
import ClientProtocol
import Model
import Notifying
import Services
import Telemetry

/// `/v1/broadcasts…` and `/v1/publish/TOPIC`.
///
/// - Confinement: any
enum BroadcastRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "POST", "broadcasts", .publish, "broadcast.send",
            details: ["audience", "level", "collapse", "at", "expires", "dryRun"]
        ) { call throws(Refusal) in
            let body = try BroadcastBody(call.request.object())
            let online = call.door.onlineCount
            return body.isDryRun
                ? .read(PreviewBroadcast(body.order, online: online), call.actor)
                : .write(SendBroadcast(body.order, online: online, key: try call.request.key()), call.actor)
        },
        AdminRoute("GET", "broadcasts", .read, "broadcast.list") { call throws(Refusal) in
            let metrics = call.door.settings.metrics
            return .read(
                try ListBroadcasts(
                    state: call.query("state"), before: call.query("before"), limit: try call.request.limit()
                ) { metrics.deliveries(ofBroadcast: $0) },
                call.actor)
        },
        AdminRoute("GET", "broadcasts/{id}", .read, "broadcast.get") { call throws(Refusal) in
            let number = try call.number(of: "broadcast")
            let delivered = Int64(call.door.settings.metrics.deliveries(ofBroadcast: number))
            return .read(ReadBroadcast(id: number, delivered: delivered), call.actor)
        },
        AdminRoute("DELETE", "broadcasts/{id}", .publish, "broadcast.cancel") { call throws(Refusal) in
            .write(CancelBroadcast(id: try call.number(of: "broadcast")), call.actor)
        },
        AdminRoute("POST", "publish/{topic…}", .publish, "topic.publish") { call throws(Refusal) in
            let order = try PlainPublication(call.request, to: call.value).order
            return .write(
                SendBroadcast(
                    order, expiresField: "Expires", online: call.door.onlineCount, key: try call.request.key()),
                call.actor)
        },
    ]
}
