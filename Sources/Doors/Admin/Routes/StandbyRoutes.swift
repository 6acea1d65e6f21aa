import Authentication
import ClientProtocol
import EventLoop
import JSON
import Telemetry
import ThreadMessages
import Wire

/// `/v1/standby` and what lies under it: a primary's commits for its standby, and the takeover.
///
/// - Confinement: any
enum StandbyRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "standby", .read, "standby.get", errands: [.standby],
            form: RouteForm("How a primary or a standby stands.", .members(ServerAnswers.standby))
        ) { call throws(Refusal) in try call.standby() },
        // They are as good as a copy of the database; the audit has the fetching of the copy that comes before them.
        AdminRoute(
            "GET", "standby/entries", .data, "standby.entries", errands: [.standby], isStream: true,
            form: RouteForm(
                "A primary's commits, for its standby.",
                query: [
                    .need("schema", .integer(1...Int64.max)),
                    .may(
                        "after", .position,
                        "The newest entry that the standby has; after, term and epoch come together."),
                    .may("term", .position), .may("epoch", .visible(64)),
                    .may(
                        "end", .words(["true", "false"]),
                        "Whether its disk has everything that a primary which ends has."),
                    .may("address", .visible(StandbyQuestion.addressBytesMax), "Its own URL."),
                ], .other("application/octet-stream"))
        ) { call throws(Refusal) in .now(try call.entries(of: call.pair().board)) },
        AdminRoute(
            "POST", "standby/handover", .operate, "standby.handover", errands: [.standby],
            form: RouteForm("Gives the primary's place to its standby.", status: 202, .members(ServerAnswers.standby))
        ) { call throws(Refusal) in
            let (board, mailbox) = try call.pair()
            try call.mayHandOver(board.facts)
            return .effect {
                mailbox.post(.stepDown)
                return .json(board.json(at: SteadyTime.now), status: 202)
            }
        },
        AdminRoute(
            "POST", "standby/promote", .operate, "standby.promote", details: ["force"],
            form: RouteForm(
                "Lets a standby take its primary's place.", query: [.may("force", .words(["true", "false"]))],
                status: 202, .members(ServerAnswers.standby))
        ) { call throws(Refusal) in
            let (board, mailbox) = try call.pair()
            let isForced = try call.query("force", "true or false") { ["true", "false"].contains($0) } == "true"
            try call.mayPromote(board)
            // A standby writes nothing before it has taken over.
            return .effect(isNotedLater: true) {
                mailbox.post(.promote(isForced: isForced))
                return .json(board.json(at: SteadyTime.now), status: 202)
            }
        },
    ]
}

extension AdminCall {
    private static let pageBytesMax = 4 << 20

    fileprivate func pair() throws(Refusal) -> (board: StandbyBoard, mailbox: Mailbox<ClusterMessage>) {
        guard let board = door.settings.standby, let mailbox = door.settings.mail.cluster else {
            throw Refusal(
                .notFound,
                door.settings.cluster == nil
                    ? "this server has no standby and is not one: a primary is started with --keep-commits"
                    : "this server is a node of a cluster, which needs no standby: start the other one with --journal, too"
            )
        }
        return (board, mailbox)
    }

    fileprivate func standby() throws(Refusal) -> Route {
        .now(.json(try pair().board.json(at: SteadyTime.now), status: 200))
    }

    fileprivate func mayHandOver(_ facts: StandbyFacts) throws(Refusal) {
        switch facts.role {
        case .primary, .handedOver:
            if let problem = facts.problem { throw Refusal(.conflict, "this primary cannot hand over: \(problem)") }
        case .standby, .stopped, .stopping:
            throw Refusal(.conflict, "this server cannot hand over: its role is \(facts.role.rawValue)")
        }
    }

    fileprivate func mayPromote(_ board: StandbyBoard) throws(Refusal) {
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

    fileprivate func entries(of board: StandbyBoard) throws(Refusal) -> HTTPResponse {
        let question: StandbyQuestion
        do {
            question = try StandbyQuestion(query)
        } catch {
            throw Refusal.badRequest(field: error.item, error.message)
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
