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
            return body.isDryRun
                ? .read(body.preview, call.actor)
                : .write(body.broadcast(key: try call.request.key()), call.actor)
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
            let broadcast = try PlainPublication(call.request, to: call.value).broadcast
            return .write(broadcast.broadcast(key: try call.request.key(), expiresField: "Expires"), call.actor)
        },
    ]
}
