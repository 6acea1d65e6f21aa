import Authentication
import ClientProtocol
import Configuration
import EventLoop
import JSON
import Model
import Telemetry
import ThreadMessages
import Wire

/// `/v1/cluster`, `/v1/cluster/step-down` and `/v1/cluster/verify`: the nodes and their journal.
///
/// - Confinement: any
enum ClusterRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "cluster", .read, "cluster.get",
            form: RouteForm("The nodes of a cluster.", .members(ServerAnswers.cluster))
        ) { call throws(Refusal) in .now(.json(try call.cluster().view.json, status: 200)) },
        AdminRoute(
            "POST", "cluster/step-down", .operate, "cluster.step-down",
            form: RouteForm("Lets another node lead.", status: 202, [.need("node", .sentence), .need("term", .count)])
        ) { call throws(Refusal) in
            let (view, mailbox) = try call.leading()
            return .effect {
                mailbox.post(.stepDown)
                return .json(["node": .string(view.node), "term": .integer(Int64(clamping: view.term))], status: 202)
            }
        },
        AdminRoute(
            "POST", "cluster/verify", .operate, "cluster.verify",
            form: RouteForm(
                "Compares the databases of the nodes.", status: 202,
                [.need("node", .sentence), .need("number", .count)])
        ) { call throws(Refusal) in
            let (view, _) = try call.leading()
            let settings = call.door.settings
            return .effect {
                let number = settings.configuration.clock.now().milliseconds
                settings.mail.writer.post(.mark(UInt64(clamping: number)))
                return .json(["node": .string(view.node), "number": .integer(number)], status: 202)
            }
        },
    ]
}

extension AdminCall {
    fileprivate func cluster() throws(Refusal) -> (view: ClusterView, mailbox: Mailbox<ClusterMessage>) {
        guard let board = door.settings.cluster, let mailbox = door.settings.mail.cluster else {
            throw Refusal(.notFound, "this server is alone: it was started without --journal")
        }
        guard let view = board.now else {
            throw Refusal(.unavailable, "this node has not heard of the others yet", retryAfterMilliseconds: 500)
        }
        return (view, mailbox)
    }

    fileprivate func leading() throws(Refusal) -> (view: ClusterView, mailbox: Mailbox<ClusterMessage>) {
        let found = try cluster()
        guard found.view.role == "leading" else { throw Self.refusal(of: found.view) }
        return found
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
