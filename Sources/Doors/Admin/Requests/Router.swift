package import Authentication
package import ClientProtocol
import Configuration
package import Execution
package import Feeds
import JSON
import Model
package import Privacy
package import Services
package import ThreadMessages
package import Wire

/// The task that a request gives.
///
/// - Confinement: any
package enum Route {
    /// Answered on the spot.
    case now(HTTPResponse)
    /// Refused by HTTP itself.
    case refused(Problem)
    case write(any WriteUseCase)
    case read(any ReadUseCase)
    /// A read of what people wrote to each other: the audit has it before the answer begins.
    case content(any ReadUseCase)
    case openRead(OpenRead)
    /// Something that is done here and in no transaction. The audit has it before; or after, where nothing can be written
    /// before.
    case effect(isNotedLater: Bool = false, _ run: () -> HTTPResponse)
    case command(PostedCommand)
    case events(EventsRequest)
    /// The documents that a feed would write.
    case feedTrial(FeedDefinition, FeedSecret?)
    /// A push to the devices of a user, answered with what the push services say.
    case pushTrial(PushTrial)
    /// A copy of the database.
    case backup(Claims)
    /// The data about a user. The audit has the request when the data are found, before the first byte.
    case export(UserExport, Claims)
    case upgrade(WebSocketHandshake.Subprotocols, isEcho: Bool)
}

/// Which request goes where.
///
/// - Confinement: loop
package enum Router {
    /// The pages that tell programs of this machine more than others.
    package static let localPaths: Set = ["/metrics", "/readyz"]
    /// The pages of a door for the figures alone.
    private static let figurePages: Set = ["metrics", "readyz", "healthz"]

    /// - Throws: `Refusal`, which becomes a problem document.
    package static func task(of call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> RoutedTask {
        let segments = call.head.pathSegments
        guard !call.head.target.isUnfit else {
            throw Refusal(.badRequest, "the path has a dot segment or a control character")
        }
        guard !call.isAtFigures || segments.count == 1 && figurePages.contains(segments[0]) else {
            throw Refusal(.notFound, "this address serves /metrics, /readyz and /healthz alone")
        }
        if segments.first == "v1", let answer = try pageAnswer(call, door) { return RoutedTask(.now(answer)) }
        if let open = RouteTable.open.first(where: { $0.isAt(segments) }), let route = try open.route(call, door) {
            return RoutedTask(route)
        }
        guard segments.first == "v1", segments.count > 1 else { return RoutedTask(try page(call, door)) }
        return try AdminAPI(call: call, door: door).task()
    }

    /// A page that an application serves beside the API.
    private static func page(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> Route {
        if let pages = door.settings.pages, pages.owns(call.head.path) {
            let givesToken = pages.givesToken(call.head.path)
            if let misdirected = call.misdirection(at: door, mustBeOwn: givesToken) { return .refused(misdirected) }
            if let response = try pages.response(to: call.head) { return .now(response) }
        }
        throw Refusal(.notFound, "there is nothing at \(call.head.path)")
    }

    /// Whether a request is a command, perhaps one that is refused.
    package static func isCommand(_ call: HTTPCall) -> Bool {
        call.head.method == "POST" && call.head.pathSegments == ["v1", "commands"]
    }

    /// How large the body of a request may be, once its head is there: without a token for it, none is taken.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`, `not-found`).
    package static func bodyBytesMax(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> Int {
        let segments = call.head.pathSegments
        guard segments.first == "v1", segments.count > 1 else { return 0 }
        switch segments[1] {
        case "ws", "echo", "events": return 0
        case "commands":
            _ = try call.userClaims(at: door)
            return Limits.messageBytesMax
        default:
            let route = RouteTable.find(call.head)?.route
            let claims = try call.claims(at: door, openTo: route?.errands ?? [])
            guard route?.isOpen(to: claims) ?? claims.isAdmin else { throw Refusal.lacking(route?.scope ?? .admin) }
            return route?.bodyBytesMax ?? Limits.plainBodyBytesMax
        }
    }

    /// The answer to a read or a write, with the status of the route's form. It is read in place: a copy costs much.
    package static func response(
        to call: HTTPCall, _ answer: EncodedAnswer, written: ResumePoint? = nil
    ) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        if let written { headers.append(HTTPCall.readAfterField, written.text) }
        if case .version(let version) = answer.fact {
            let tag = "\"\(version)\""
            headers.append("ETag", tag)
            let isRead = call.head.method == "GET" || call.head.method == "HEAD"
            if isRead, HeldCopies(call.head.headers).contain(tag) { return HTTPResponse(status: 304, headers: headers) }
        }
        let route = RouteTable.find(call.head)?.route
        let isDryRun = route?.form.others[200] != nil && (try? call.object())?["dryRun"] == true
        let status = isDryRun ? 200 : route?.form.status ?? 200
        return HTTPResponse(status: status, headers: headers, body: answer.body)
    }

    /// The answer to a browser that asks what a page may do; nil for every other request.
    ///
    /// - Throws: `Refusal` when a page of another origin asks, or writes. A read is answered, for the browser
    ///   does not show it the answer.
    private static func pageAnswer(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> HTTPResponse? {
        let page = CrossOrigin(call, door.settings.configuration.origins)
        if page.isPreflight || page.isWrite { try call.checkOrigin(at: door) }
        return page.isPreflight ? page.preflight : nil
    }
}

extension HTTPResponse {
    /// Plain text.
    package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(text.utf8))
    }
}
