import Authentication
import ClientProtocol
import Feeds
import JSON
import Model
import Services
import Wire

/// What a request asks for.
///
/// - Confinement: any
enum Route {
    /// Answered on the spot.
    case now(HTTPResponse)
    case write(any WriteUseCase, Actor)
    case read(any ReadUseCase, Actor)
    case command(PostedCommand)
    case events(EventsRequest)
    /// What a feed would write.
    case feedTrial(FeedDefinition, FeedSecret?)
    /// A copy of the database.
    case backup(Claims)
    case upgrade(WebSocketHandshake.Subprotocols, isEcho: Bool)
}

/// Which request goes where.
///
/// - Confinement: loop
enum Router {
    static let metricsPath = "/metrics"

    /// - Throws: `Refusal`, which becomes a problem document.
    static func route(_ call: HTTPCall, on server: LoopServer) throws(Refusal) -> Route {
        let segments = call.head.pathSegments
        switch (segments.first, segments.dropFirst().first) {
        case ("v1", "ws") where segments.count == 2:
            try checkOrigin(call, server)
            return .upgrade(.oneOf(["watchwise.v1"]), isEcho: false)
        case ("v1", "echo") where segments.count == 2 && server.settings.hasEcho:
            return .upgrade(.any, isEcho: true)
        case ("v1", "events") where segments.count == 2:
            guard call.head.method == "GET" else {
                return .now(Problem(status: 405, detail: "events are got here", allow: "GET").response)
            }
            try checkOrigin(call, server)
            return .events(try EventsRequest(call, on: server))
        case ("v1", "commands") where segments.count == 2:
            guard call.head.method == "POST" else {
                return .now(Problem(status: 405, detail: "a command is posted here", allow: "POST").response)
            }
            return .command(try PostedCommand(call, on: server))
        case ("healthz", nil):
            return get(call) { .text("ok\n") }
        case ("readyz", nil):
            return get(call) {
                let readiness = Readiness(of: server.settings.storage, isDraining: server.isDraining)
                let keyless = server.tokens.keyless.map { "no keys of \($0) yet: its tokens cannot be judged\n" }
                return .text(readiness.text + keyless.joined(), status: readiness.status)
            }
        case ("metrics", nil):
            if let refused = try metricsRefusal(call, server) { return .now(refused) }
            return get(call) { MetricsPage.response(server.settings.metrics) }
        case ("v1", .some):
            return try AdminAPI(call: call, server: server).route(segments.dropFirst())
        default:
            if let demo = server.settings.demo, DemoStage.owns(call.head.path) {
                let givesToken = call.head.path == DemoStage.sessionPath
                if let misdirected = misdirection(call, server, mustBeOwn: givesToken) { return .now(misdirected) }
                if let route = try demo.route(call) { return route }
            }
            throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// The answer to somebody who may not see the figures; nil for a program of this machine, and for a token that opens
    /// them.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`).
    private static func metricsRefusal(_ call: HTTPCall, _ server: LoopServer) throws(Refusal) -> HTTPResponse? {
        if call.bearerToken == nil {
            if let misdirected = misdirection(call, server) { return misdirected }
            if call.isOfThisMachine { return nil }
        }
        guard try call.claims(on: server).mayReadMetrics else {
            throw Refusal(.forbidden, "the token has neither the scope metrics nor admin")
        }
        return nil
    }

    /// The answer to a request for another's name, where no token is asked for; nil when the name is the server's.
    ///
    /// - Parameter mustBeOwn: whether a name of which nothing is known is another's.
    private static func misdirection(_ call: HTTPCall, _ server: LoopServer, mustBeOwn: Bool = false) -> HTTPResponse? {
        let authority = call.head.authority
        switch server.settings.names.verdict(on: authority, server.tls) {
        case .own: return nil
        case .unknown where !mustBeOwn: return nil
        case .unknown, .foreign: break
        }
        let name = authority.map { "\($0.prefix(200))" } ?? "nothing"
        let detail =
            "this server is not known as \(name): ask it by an address, as localhost, by a name of its certificate, or "
            + "name it when it starts, with --origin http://NAME"
        return Problem(status: 421, detail: detail, field: "Host").response
    }

    /// Whether a request is a command, perhaps one that is refused.
    static func isCommand(_ call: HTTPCall) -> Bool {
        call.head.method == "POST" && call.head.pathSegments == ["v1", "commands"]
    }

    /// How large the body of a request may be, once its head is there: nobody's is taken who has no token for it.
    ///
    /// - Throws: `Refusal` (`unauthenticated`, `forbidden`, `not-found`).
    static func bodyBytesMax(_ call: HTTPCall, on server: LoopServer) throws(Refusal) -> Int {
        let segments = call.head.pathSegments
        guard segments.first == "v1", segments.count > 1 else { return 0 }
        switch segments[1] {
        case "ws", "echo", "events": return 0
        case "commands":
            _ = try call.claims(on: server)
            return Limits.messageBytesMax
        default:
            guard try call.claims(on: server).isAdmin else {
                throw Refusal(.forbidden, "the token does not have the scope admin")
            }
            let isBatch = segments == ["v1", "documents"] && call.head.method == "POST"
            return isBatch ? Limits.requestBodyBytesMax : Limits.plainBodyBytesMax
        }
    }

    /// The answer to a request that was read or written.
    static func response(to call: HTTPCall, body: [UInt8]) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        let segments = call.head.pathSegments
        let isVersioned = segments.count > 2 && segments[1] == "documents" || segments == ["v1", "rules"]
        if isVersioned, let version = version(in: body) {
            headers.append("ETag", "\"\(version)\"")
        }
        // What is begun by it is not done yet.
        let isBegun =
            segments.count > 1 && ["broadcasts", "publish"].contains(segments[1])
            || segments.count == 4 && segments[1] == "feeds" && segments[3] == "run"
        return HTTPResponse(status: isBegun && call.head.method == "POST" ? 202 : 200, headers: headers, body: body)
    }

    private static func version(in body: [UInt8]) -> Int64? {
        (try? JSONValue(parsing: body, depthMax: Limits.jsonDepthMax + 2))?["version"]?.integerValue
    }

    /// - Throws: `Refusal` when a page asks that may not.
    private static func checkOrigin(_ call: HTTPCall, _ server: LoopServer) throws(Refusal) {
        let origins = call.head.headers.values("Origin")
        let isEncrypted = server.tls != nil
        guard server.settings.origins.admit(origins, to: call.head.authority, isEncrypted: isEncrypted) else {
            throw Refusal(
                .forbidden, "a page of \(origins.joined(separator: ", ").prefix(200)) may not; see --origin",
                field: "Origin")
        }
    }

    private static func get(_ call: HTTPCall, _ response: () -> HTTPResponse) -> Route {
        guard ["GET", "HEAD"].contains(call.head.method) else {
            return .now(Problem(status: 405, detail: "only GET is answered here", allow: "GET, HEAD").response)
        }
        return .now(response())
    }
}

extension HTTPResponse {
    /// Plain text.
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array(text.utf8))
    }
}
