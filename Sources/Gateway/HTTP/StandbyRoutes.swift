import ClientProtocol
import EventLoop
import JSON
import Mail
import Telemetry
import Wire

/// `/v1/standby` and what lies under it: a primary's commits for its standby, and the takeover.
///
/// - Confinement: loop
struct StandbyRoutes: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    private static let pageBytesMax = 4 << 20

    /// - Parameter rest: of the path after `/v1/standby`.
    func route(_ rest: [String]) throws(Refusal) -> Route {
        _ = try administrator()
        guard let board = door.settings.standby, let mailbox = door.settings.mail.cluster else {
            throw Refusal(
                .notFound,
                door.settings.cluster == nil
                    ? "this server has no standby and is not one: a primary is started with --keep-commits"
                    : "this server is a node of a cluster, which needs no standby: start the other one with --journal, too"
            )
        }
        switch (rest.first, method) {
        case (nil, "GET"), (nil, "HEAD"): return .now(.json(board.json(at: SteadyTime.now), status: 200))
        case (nil, _): return notAllowed("GET, HEAD")
        case ("entries", "GET"): return .now(try entries(of: board))
        case ("entries", _): return notAllowed("GET")
        case ("handover", "POST"):
            try mayHandOver(board.facts)
            mailbox.post(.stepDown)
            return .now(.json(board.json(at: SteadyTime.now), status: 202))
        case ("promote", "POST"):
            try mayPromote(board)
            mailbox.post(.promote(isForced: call.head.target.queryValue("force") == "true"))
            return .now(.json(board.json(at: SteadyTime.now), status: 202))
        case ("handover", _), ("promote", _): return notAllowed("POST")
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    private func mayHandOver(_ facts: StandbyFacts) throws(Refusal) {
        switch facts.role {
        case .primary, .handedOver:
            if let problem = facts.problem { throw Refusal(.conflict, "this primary cannot hand over: \(problem)") }
        case .standby, .stopped, .stopping:
            throw Refusal(.conflict, "this server cannot hand over: its role is \(facts.role.rawValue)")
        }
    }

    private func mayPromote(_ board: StandbyBoard) throws(Refusal) {
        switch board.facts.role {
        case .standby, .stopped:
            guard board.beginPromotion() else {
                throw Refusal(.conflict, "this standby is taking its primary's place already")
            }
        case .primary: throw Refusal(.conflict, "this server is a primary already: ask its standby")
        case .handedOver, .stopping:
            throw Refusal(.conflict, "this server is no standby: its role is \(board.facts.role.rawValue)")
        }
    }

    private func entries(of board: StandbyBoard) throws(Refusal) -> HTTPResponse {
        guard let question = StandbyQuestion({ call.head.target.queryValue($0) }) else {
            throw Refusal(.badRequest, "schema is required, and after, term and epoch together")
        }
        switch board.ask(question, bytesMax: Self.pageBytesMax, at: SteadyTime.now) {
        case .page(let page):
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/octet-stream", "Cache-Control": "no-store"],
                body: page.bytes)
        case .gone: return .text("these entries are not remembered: fetch a copy\n", status: 410)
        case .later: return .text("this primary begins to keep its commits now: ask again\n", status: 503)
        case .foreign(let sentence): return .text(sentence + "\n", status: 409)
        }
    }
}
