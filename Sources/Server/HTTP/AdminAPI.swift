import Authentication
import ClientProtocol
import Fanout
import JSON
import Model
import Services
import Wire

/// The admin API under `/v1`: documents, triggers, broadcasts, publishing, statistics, backups.
///
/// - Confinement: loop
struct AdminAPI {
    let call: HTTPCall
    let server: LoopServer

    /// - Parameter segments: of the path behind `/v1`.
    func route(_ segments: ArraySlice<String>) throws(Refusal) -> Route {
        let rest = Array(segments.dropFirst())
        switch segments.first {
        case "documents": return rest.isEmpty ? try documents() : try document(rest.joined(separator: "/"))
        case "triggers" where rest.count <= 1: return try triggers(rest.first)
        case "triggers" where rest.count == 2: return try trigger(rest[0], rest[1])
        case "notifications" where rest.count == 2 && rest[1] == "explain": return try explain(rest[0])
        case "explain" where rest.isEmpty: return try explain()
        case "broadcasts" where rest.count <= 1: return try broadcasts(rest.first)
        case "publish" where !rest.isEmpty: return try publish(to: rest.joined(separator: "/"))
        case "feeds" where rest.count <= 2: return try feeds(rest)
        case "rules" where rest.isEmpty: return try rules()
        case "dead" where rest.count <= 2: return try dead(rest)
        case "webhooks" where rest.count <= 3: return try webhooks(rest)
        case "revocations" where rest.count <= 1: return try revocations(rest.first)
        case "users" where rest.count == 2 && rest[1] == "kick": return try kick(rest[0])
        case "users" where rest.count == 2 && rest[1] == "preferences": return try preferences(of: rest[0])
        case "backup" where rest.isEmpty: return try backup()
        case "stats" where rest.isEmpty: return try statistics()
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    var method: String { call.head.method }

    /// The administrator who asks.
    ///
    /// - Throws: `Refusal` unless the token bears the scope `admin`.
    func administrator() throws(Refusal) -> Actor { .administrator(try administratorClaims().subject) }

    private func administratorClaims() throws(Refusal) -> Claims {
        guard let token = call.bearerToken else {
            throw Refusal(.unauthenticated, "an admin token is required in the Authorization header")
        }
        let claims = try server.verify(token: token)
        guard claims.isAdmin else { throw Refusal(.forbidden, "the token does not have the scope admin") }
        return claims
    }

    func notAllowed(_ allow: String) -> Route {
        .now(Problem(status: 405, detail: "\(method) is not done here; \(allow) is", allow: allow).response)
    }

    // MARK: Documents

    private func document(_ text: String) throws(Refusal) -> Route {
        let actor = try administrator()
        let path: DocumentPath
        do {
            path = try DocumentPath(text)
        } catch {
            throw Refusal(.badRequest, error.message, field: "path")
        }
        switch method {
        case "GET", "HEAD":
            return .read(ReadDocument(path), actor)
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

    private func documents() throws(Refusal) -> Route {
        let actor = try administrator()
        switch method {
        case "GET", "HEAD":
            guard let text = call.head.target.queryValue("collection") else {
                throw Refusal.badRequest(field: "collection", "is required: ?collection=people/525/credits")
            }
            do {
                let collection = try DocumentPath.collection(text)
                return .read(
                    ListDocuments(
                        collection: collection, after: call.head.target.queryValue("after"), limit: try call.limit()),
                    actor)
            } catch let problem as DocumentPath.Problem {
                throw Refusal(.badRequest, problem.message, field: "collection")
            } catch let refusal as Refusal {
                throw refusal
            } catch {
                throw Refusal.badRequest(field: "collection", "must be a collection")
            }
        case "POST":
            var useCase = WriteDocuments(batch: try BatchBody(call.object()).writes, key: try call.key())
            useCase.chain = try call.chain()
            return .write(useCase, actor)
        default:
            return notAllowed("GET, HEAD, POST")
        }
    }

    // MARK: Triggers

    private func triggers(_ name: String?) throws(Refusal) -> Route {
        let actor = try administrator()
        switch (method, name) {
        case ("GET", _), ("HEAD", _):
            let tally = server.settings.metrics.triggers
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
            let delivered = Int64(server.settings.metrics.deliveries(ofBroadcast: number))
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
                server: server.settings.serverName, epoch: server.settings.epoch,
                online: server.presence.onlineCount,
                readiness: Readiness(of: server.settings.storage, isDraining: server.isDraining),
                counts: server.settings.metrics.all.map { ($0.name, $0.value) }),
            actor)
    }
}
