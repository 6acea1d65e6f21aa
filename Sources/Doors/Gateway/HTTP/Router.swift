import Authentication
import ClientProtocol
import Configuration
import Execution
import Feeds
import JSON
import ThreadMessages
import Model
import WebLibrary
import Services
import Telemetry
import Wire

/// The task that a request gives.
///
/// - Confinement: any
enum Route {
    /// Answered on the spot.
    case now(HTTPResponse)
    /// Refused by HTTP itself.
    case refused(Problem)
    case write(any WriteUseCase, Actor)
    case read(any ReadUseCase, Actor)
    /// A read of what people wrote to each other: the audit has it before the answer begins.
    case content(any ReadUseCase, Actor)
    case openRead(OpenRead)
    /// Something that is done here and in no transaction. The audit has it before; or after, where nothing can be written
    /// before.
    case effect(isNotedLater: Bool = false, _ run: () -> HTTPResponse)
    case command(PostedCommand)
    case events(EventsRequest)
    /// The documents that a feed would write.
    case feedTrial(FeedDefinition, FeedSecret?)
    /// A push to the devices of a user, answered with what the push services say.
    case pushTrial(PushTrial, Actor)
    /// A copy of the database.
    case backup(Claims)
    /// The data about a user. The audit has the request when the data are found, before the first byte.
    case export(UserExport, Claims)
    case upgrade(WebSocketHandshake.Subprotocols, isEcho: Bool)
}

/// Which request goes where.
///
/// - Confinement: loop
enum Router {
    /// The pages that tell programs of this machine more than others.
    static let localPaths: Set = ["/metrics", "/readyz"]
    /// The pages of a door for the figures alone.
    private static let figurePages: Set = ["metrics", "readyz", "healthz"]

    /// - Throws: `Refusal`, which becomes a problem document.
    static func task(of call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> RoutedTask {
        let segments = call.head.pathSegments
        guard !call.isAtFigures || segments.count == 1 && figurePages.contains(segments[0]) else {
            throw Refusal(.notFound, "this address serves /metrics, /readyz and /healthz alone")
        }
        if segments.first == "v1", let answer = try pageAnswer(call, door) { return RoutedTask(.now(answer)) }
        if let route = try openRoute(call, at: door) { return RoutedTask(route) }
        return try AdminAPI(call: call, door: door).task()
    }

    /// The routes that are not for administrators alone.
    ///
    /// - Returns: nil for everything below `/v1` besides.
    private static func openRoute(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> Route? {
        let segments = call.head.pathSegments
        switch (segments.first, segments.dropFirst().first) {
        case ("v1", "ws") where segments.count == 2:
            try checkOrigin(call, door)
            if let refusal = door.sessionRefusal { throw refusal }
            return .upgrade(.oneOf(["watchwise.v1"]), isEcho: false)
        case ("v1", "echo") where segments.count == 2 && door.settings.configuration.hasEcho:
            return .upgrade(.any, isEcho: true)
        case ("v1", "events") where segments.count == 2:
            guard call.head.method == "GET" else {
                return .refused(Problem(status: 405, detail: "use GET here", allow: "GET"))
            }
            try checkOrigin(call, door)
            let events = try EventsRequest(call, at: door)
            if events.claims == nil, let misdirected = misdirection(call, door) { return .refused(misdirected) }
            if let refusal = door.sessionRefusal { throw refusal }
            return .events(events)
        case ("v1", "commands") where segments.count == 2:
            guard call.head.method == "POST" else {
                return .refused(Problem(status: 405, detail: "use POST here", allow: "POST"))
            }
            return .command(try PostedCommand(call, at: door))
        case ("v1", "push") where segments == ["v1", "push", "key"]:
            return try get(call) { () throws(Refusal) in try PushRoutes.key(door) }
        case ("v1", "openapi.json") where segments.count == 2: return try get(call) { .json(OpenAPI.bytes) }
        case ("v1", "asyncapi.json") where segments.count == 2: return try get(call) { .json(AsyncAPI.bytes) }
        case ("v1", "sdk") where segments.count == 3:
            return try get(call) { () throws(Refusal) in try libraryFile(segments[2], for: call) }
        case ("healthz", nil):
            return try get(call) { .text("ok\n") }
        case ("readyz", nil):
            if let purpose = call.head.target.queryValue("for"), purpose != "writes" {
                throw Refusal.badRequest(field: "for", "must be writes, or absent")
            }
            return try get(call) { readyPage(call, door) }
        case ("metrics", nil):
            // The method is refused first: nobody may use another one.
            if ["GET", "HEAD"].contains(call.head.method), let refused = try metricsRefusal(call, door) {
                return .refused(refused)
            }
            return try get(call) { MetricsPage.response(door.settings.metrics, isMember: door.settings.isMember) }
        case ("v1", .some): return nil
        default:
            if let pages = door.settings.pages, pages.owns(call.head.path) {
                let givesToken = pages.givesToken(call.head.path)
                if let misdirected = misdirection(call, door, mustBeOwn: givesToken) { return .refused(misdirected) }
                if let response = try pages.response(to: call.head) { return .now(response) }
            }
            throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// A file of the library for browsers and Node. A browser asks each time whether it has changed: an application and its
    /// server are updated together.
    private static func libraryFile(_ name: String, for call: HTTPCall) throws(Refusal) -> HTTPResponse {
        guard let file = ClientLibrary.file(named: name) else {
            let names = ClientLibrary.files.map(\.name).joined(separator: ", ")
            throw Refusal(.notFound, "there is no file '\(name.prefix(64))' in the SDK; there are: \(names)")
        }
        var headers: HTTPHeaders = [
            "Content-Type": file.type + "; charset=utf-8", "ETag": file.tag, "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
        ]
        // An application may choose any scope for the worker (Service Workers, "Service-Worker-Allowed").
        if file.name == "watchwise-worker.js" { headers.append("Service-Worker-Allowed", "/") }
        if call.head.headers["If-None-Match"] == file.tag { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: file.bytes)
    }

    /// Whether the server is ready; the reasons only for those that may see the figures.
    private static func readyPage(_ call: HTTPCall, _ door: any RequestDoor) -> HTTPResponse {
        let readiness = Readiness(
            Readiness(of: door.settings.storage, isDraining: door.isDraining), among: door.settings.standing.now,
            lagMilliseconds: door.settings.configuration.cluster.lagReadyMilliseconds,
            forWrites: call.head.target.queryValue("for") == "writes")
        guard maySeeFigures(call, door) else {
            return .text(readiness.problem == nil ? "ready\n" : "not ready\n", status: readiness.status)
        }
        let keyless = door.keylessIssuers.map { "no keys of \($0) yet: its tokens cannot be verified\n" }
        return .text(readiness.text + keyless.joined(), status: readiness.status)
    }

    private static func maySeeFigures(_ call: HTTPCall, _ door: any RequestDoor) -> Bool {
        do throws(Refusal) {
            if case nil = try metricsRefusal(call, door) { return true }
            return false
        } catch {
            return false
        }
    }

    /// The answer to a client that may not see the figures; nil for one that may, by the setting `metrics`, by its token, or
    /// because the door is for the figures alone.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`).
    private static func metricsRefusal(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> Problem? {
        let setting = door.settings.configuration.metricsDoor
        if call.isAtFigures || setting == .open { return nil }
        if call.bearerToken == nil {
            if let misdirected = misdirection(call, door) { return misdirected }
            if setting == .local, call.isOfThisMachine { return nil }
        }
        guard try call.claims(at: door).opens(.metrics) else { throw Refusal.lacking(.metrics) }
        return nil
    }

    /// The answer to a request for another's name, where no token is asked for; nil when the name is the server's.
    ///
    /// - Parameter mustBeOwn: whether a name of which nothing is known is another's.
    static func misdirection(_ call: HTTPCall, _ door: any RequestDoor, mustBeOwn: Bool = false) -> Problem? {
        let authority = call.head.authority
        switch door.settings.names.verdict(on: authority, door.tls) {
        case .own: return nil
        case .unknown where !mustBeOwn: return nil
        case .unknown, .foreign: break
        }
        let name = authority.map { "\($0.prefix(200))" } ?? "nothing"
        let detail =
            "this server does not know the name \(name): use an address, localhost or a name of its certificate, or "
            + "start the server with --origin http://NAME"
        return Problem(status: 421, detail: detail, field: "Host")
    }

    /// Whether a request is a command, perhaps one that is refused.
    static func isCommand(_ call: HTTPCall) -> Bool {
        call.head.method == "POST" && call.head.pathSegments == ["v1", "commands"]
    }

    /// How large the body of a request may be, once its head is there: without a token for it, none is taken.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`, `not-found`).
    static func bodyBytesMax(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> Int {
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

    /// The answer to a request that was read or written.
    static func response(to call: HTTPCall, _ answer: EncodedAnswer) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        if case .version(let version) = answer.fact { headers.append("ETag", "\"\(version)\"") }
        let segments = call.head.pathSegments
        // The work that it begins is not done yet.
        let isBegun =
            segments.count > 1 && ["broadcasts", "publish"].contains(segments[1])
            || segments.count == 4 && segments[1] == "feeds" && segments[3] == "run"
        let isErasure =
            call.head.method == "DELETE" && segments.count == 3 && segments[1] == "users"
            && (try? call.object())?["dryRun"] != true
        let status = isBegun && call.head.method == "POST" || isErasure ? 202 : 200
        return HTTPResponse(status: status, headers: headers, body: answer.body)
    }

    /// The answer to a browser that asks what a page may do; nil for every other request.
    ///
    /// - Throws: `Refusal` when a page of another origin asks, or writes. A read is answered, for the browser
    ///   does not show it the answer.
    private static func pageAnswer(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) -> HTTPResponse? {
        let page = CrossOrigin(call, door.settings.configuration.origins)
        if page.isPreflight || page.isWrite { try checkOrigin(call, door) }
        return page.isPreflight ? page.preflight : nil
    }

    /// - Throws: `Refusal` when a page asks that may not.
    private static func checkOrigin(_ call: HTTPCall, _ door: any RequestDoor) throws(Refusal) {
        let origins = call.head.headers.values("Origin")
        let isEncrypted = door.tls != nil
        guard door.settings.configuration.origins.admit(origins, to: call.head.authority, isEncrypted: isEncrypted)
        else {
            throw Refusal(
                .forbidden, "a page of \(origins.joined(separator: ", ").prefix(200)) may not do this; see --origin",
                field: "Origin")
        }
    }

    private static func get(
        _ call: HTTPCall, _ response: () throws(Refusal) -> HTTPResponse
    ) throws(Refusal) -> Route {
        guard ["GET", "HEAD"].contains(call.head.method) else {
            return .refused(Problem(status: 405, detail: "use GET here", allow: "GET, HEAD"))
        }
        return .now(try response())
    }
}

extension HTTPResponse {
    /// A document that describes the server.
    fileprivate static func json(_ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }

    /// Plain text.
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(text.utf8))
    }
}
