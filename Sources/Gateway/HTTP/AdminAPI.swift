import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Execution
import Fanout
import JSON
import Mail
import Model
import Notifying
import Services
import Telemetry
import Triggering
import Wire

/// The admin API under `/v1`: documents, triggers, broadcasts, publishing, statistics, backups.
///
/// - Confinement: loop
struct AdminAPI: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    /// - Parameter segments: of the path after `/v1`.
    func route(_ segments: ArraySlice<String>) throws(Refusal) -> Route {
        let rest = Array(segments.dropFirst())
        switch segments.first {
        case "documents": return rest.isEmpty ? try documents() : try document(rest.joined(separator: "/"))
        case "triggers" where rest.count <= 1: return try triggers(rest.first)
        case "triggers" where rest.count == 2: return try triggering.trigger(rest[0], rest[1])
        case "notifications" where rest.count == 2 && rest[1] == "explain": return try triggering.explain(rest[0])
        case "explain" where rest.isEmpty: return try triggering.explain()
        case "broadcasts" where rest.count <= 1: return try broadcasts(rest.first)
        case "publish" where !rest.isEmpty: return try publish(to: rest.joined(separator: "/"))
        case "feeds" where rest.count <= 2: return try feeds(rest)
        case "rules" where rest.isEmpty: return try rules()
        case "dead" where rest.count <= 2: return try webhooks.dead(rest)
        case "webhooks" where rest.count <= 3: return try webhooks.webhooks(rest)
        case "push" where rest.count <= 3: return try PushRoutes(call: call, door: door).route(rest)
        case "revocations" where rest.count <= 1: return try revocations(rest.first)
        case "users" where rest.count == 2 && rest[1] == "kick": return try kick(rest[0])
        case "users" where rest.count == 2 && rest[1] == "preferences": return try preferences(of: rest[0])
        case "backup" where rest.isEmpty: return try backup()
        case "cluster" where rest.count <= 1: return try ClusterRoutes(call: call, door: door).route(rest)
        case "standby" where rest.count <= 1: return try StandbyRoutes(call: call, door: door).route(rest)
        case "stats" where rest.isEmpty: return try statistics()
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    private var triggering: TriggerRoutes { TriggerRoutes(call: call, door: door) }
    private var webhooks: WebhookRoutes { WebhookRoutes(call: call, door: door) }

    // MARK: Documents

    private func document(_ text: String) throws(Refusal) -> Route {
        let actor = isRead ? nil : try administrator()
        let path = try DocumentPath(text, field: "path")
        guard let actor else { return try reading(ReadDocument(path), of: .document(path), weight: 1) }
        switch method {
        case "PUT":
            return .write(try write(path, .put(call.object())), actor)
        case "PATCH":
            return .write(try write(path, .patch(call.object())), actor)
        case "DELETE":
            return .write(try write(path, .delete), actor)
        default:
            return notAllowed("GET, HEAD, PUT, PATCH, DELETE")
        }
    }

    private func write(
        _ path: DocumentPath, _ operation: DocumentWrite.Operation
    ) throws(Refusal) -> WriteDocuments {
        var useCase = WriteDocuments(
            DocumentWrite(path: path, operation: operation, ifVersion: try call.ifVersion()), key: try call.key())
        useCase.chain = try call.chain()
        return useCase
    }

    private var isRead: Bool { ["GET", "HEAD"].contains(method) }

    /// An administrator reads everything, everybody else what the rules open to anyone.
    private func reading(
        _ useCase: some ReadUseCase, of path: WatchedPath, weight: Int
    ) throws(Refusal) -> Route {
        let claims: Claims? = call.bearerToken == nil ? nil : try call.claims(at: door)
        if let claims, claims.isAdmin { return .read(useCase, .administrator(claims.subject)) }
        if claims == nil, let misdirected = Router.misdirection(call, door) { return .now(misdirected) }
        return .openRead(OpenRead(useCase, of: path, weight: weight, claims))
    }

    private func listing() throws(Refusal) -> Route {
        guard let text = call.head.target.queryValue("collection") else {
            throw Refusal.badRequest(field: "collection", "is required: ?collection=people/525/credits")
        }
        let collection: String
        do {
            collection = try DocumentPath.collection(text)
        } catch {
            throw Refusal(.badRequest, error.message, field: "collection")
        }
        let limit = try call.limit()
        return try reading(
            ListDocuments(collection: collection, after: call.head.target.queryValue("after"), limit: limit),
            of: .collection(collection), weight: 1 + limit / Limits.rowsPerWeight)
    }

    private func documents() throws(Refusal) -> Route {
        if isRead { return try listing() }
        let actor = try administrator()
        guard method == "POST" else { return notAllowed("GET, HEAD, POST") }
        var useCase = WriteDocuments(batch: try BatchBody(call.object()).writes, key: try call.key())
        useCase.chain = try call.chain()
        return .write(useCase, actor)
    }

    // MARK: Triggers

    private func triggers(_ name: String?) throws(Refusal) -> Route {
        let actor = try administrator()
        switch (method, name) {
        case ("GET", _), ("HEAD", _):
            let tally = door.settings.metrics.triggers
            return .read(ReadTriggers(name: name, counts: tally.all, broken: tally.broken), actor)
        case ("PUT", let name?):
            return .write(try PutTrigger(name: name, row: call.object(), key: call.key()), actor)
        case ("DELETE", let name?): return .write(DeleteTrigger(name: name), actor)
        case (_, nil): return notAllowed("GET, HEAD")
        case (_, _?): return notAllowed("GET, HEAD, PUT, DELETE")
        }
    }

    private func rules() throws(Refusal) -> Route {
        let actor = try administrator()
        switch method {
        case "GET", "HEAD": return .read(ReadRules(), actor)
        case "PUT":
            return .write(try PutRules(call.object(), ifVersion: call.ifVersion(), key: call.key()), actor)
        default: return notAllowed("GET, HEAD, PUT")
        }
    }

    // MARK: Broadcasts

    private func broadcasts(_ id: String?) throws(Refusal) -> Route {
        let actor = try administrator()
        guard let id else {
            guard method == "POST" else { return notAllowed("POST") }
            let body = try BroadcastBody(call.object())
            return body.isDryRun
                ? .read(body.preview, actor)
                : .write(body.broadcast(key: try call.key()), actor)
        }
        guard let number = Int64(id), number > 0 else { throw Refusal(.notFound, "there is no broadcast \(id)") }
        switch method {
        case "GET", "HEAD":
            let delivered = Int64(door.settings.metrics.deliveries(ofBroadcast: number))
            return .read(ReadBroadcast(id: number, delivered: delivered), actor)
        case "DELETE":
            return .write(CancelBroadcast(id: number), actor)
        default:
            return notAllowed("GET, HEAD, DELETE")
        }
    }

    private func publish(to topic: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard method == "POST" else { return notAllowed("POST") }
        let broadcast = try PlainPublication(call, to: topic).broadcast
        return .write(broadcast.broadcast(key: try call.key(), expiresField: "Expires"), actor)
    }

    // MARK: The whole

    private func backup() throws(Refusal) -> Route {
        let claims = try administratorClaims()
        return method == "GET" ? .backup(claims) : notAllowed("GET")
    }

    private func statistics() throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        return .read(
            ServerStatistics(
                server: ServerConfiguration.serverName, epoch: door.settings.opened.epoch,
                online: door.onlineCount,
                readiness: Readiness(
                    Readiness(of: door.settings.storage, isDraining: door.isDraining),
                    among: door.settings.standing.now,
                    lagMilliseconds: door.settings.configuration.cluster.lagReadyMilliseconds, forWrites: false),
                counts: door.settings.metrics.all.map { ($0.name, $0.value) },
                standby: door.settings.standby?.json(at: SteadyTime.now)),
            actor)
    }
}
