import ClientProtocol
import Configuration
import EventLoop
import JSON
import Mail
import Model
import Telemetry
import Wire

/// `/v1/cluster`, `/v1/cluster/step-down` and `/v1/cluster/verify`: the nodes and their journal.
///
/// - Confinement: loop
struct ClusterRoutes: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    /// - Parameter rest: of the path after `/v1/cluster`.
    func route(_ rest: [String]) throws(Refusal) -> Route {
        _ = try administrator()
        guard let board = door.settings.cluster, let mailbox = door.settings.mail.cluster else {
            throw Refusal(.notFound, "this server is alone: it was started without --journal")
        }
        guard let view = board.now else {
            throw Refusal(.unavailable, "this node has not heard of the others yet", retryAfterMilliseconds: 500)
        }
        switch (rest.first, method) {
        case (nil, "GET"), (nil, "HEAD"): return .now(.json(view.json, status: 200))
        case (nil, _): return notAllowed("GET, HEAD")
        case ("step-down", "POST"):
            guard view.role == "leading" else { throw Self.refusal(of: view) }
            mailbox.post(.stepDown)
            return .now(.json(["node": .string(view.node), "term": .integer(Int64(clamping: view.term))], status: 202))
        case ("verify", "POST"):
            guard view.role == "leading" else { throw Self.refusal(of: view) }
            let number = door.settings.configuration.clock.now().milliseconds
            door.settings.mail.writer.post(.mark(UInt64(clamping: number)))
            return .now(.json(["node": .string(view.node), "number": .integer(number)], status: 202))
        case ("step-down", _), ("verify", _): return notAllowed("POST")
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// The answer of a node that does not lead, with the address of the one that does.
    private static func refusal(of view: ClusterView) -> Refusal {
        guard let leader = view.leader else {
            return Refusal(.unavailable, "no node leads now", retryAfterMilliseconds: 1000)
        }
        let address = view.nodes.first { $0.name == leader }?.address ?? ""
        return Refusal(
            .conflict,
            "\(view.node) does not lead; \(leader) does" + (address.isEmpty ? "" : ": ask it, --server \(address)"))
    }
}
