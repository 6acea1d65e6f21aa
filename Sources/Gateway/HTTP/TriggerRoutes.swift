import ClientProtocol
import JSON
import Model
import Triggering
import Wire

/// Working on triggers without fear: what one would do, what it did, why somebody got something, and doing it again.
///
/// - Confinement: loop
struct TriggerRoutes: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    /// `/v1/triggers/NAME/test`, `…/runs`, `…/replay`.
    func trigger(_ name: String, _ work: String) throws(Refusal) -> Route {
        let actor = try administrator()
        switch (work, method) {
        case ("test", "POST"): return .read(try TestTrigger(name: name, body: call.object()), actor)
        case ("test", _): return notAllowed("POST")
        case ("runs", "GET"), ("runs", "HEAD"):
            let before = call.head.target.queryValue("before")
            return .read(ReadTriggerRuns(name: name, before: before, limit: try call.limit()), actor)
        case ("runs", _): return notAllowed("GET, HEAD")
        case ("replay", "POST"):
            let body = try ReplayBody(call.object(), of: name)
            return body.isDryRun
                ? .read(PreviewReplay(body.range), actor)
                : .write(ReplayTrigger(body.range, key: try call.key()), actor)
        case ("replay", _): return notAllowed("POST")
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// `/v1/notifications/ID/explain?user=USER`.
    func explain(_ id: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        var user: UserID?
        if let text = call.head.target.queryValue("user") {
            guard let named = UserID(text) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
            user = named
        }
        return .read(ExplainNotification(id: id, user: user), actor)
    }

    /// `/v1/explain?path=DOC&user=USER` and `/v1/explain?pending=true&user=USER`.
    func explain() throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        let target = call.head.target
        switch target.queryValue("pending") {
        case "true":
            guard target.queryValue("path") == nil else {
                throw Refusal.badRequest(field: "pending", "is about a person; leave out path")
            }
            return .read(
                try ExplainPending(
                    user: target.queryValue("user"), after: target.queryValue("after"), limit: try call.limit()),
                actor)
        case nil, "false": break
        default: throw Refusal.badRequest(field: "pending", "must be true or false")
        }
        return .read(
            try ExplainPath(
                path: target.queryValue("path"), user: target.queryValue("user"), seq: target.queryValue("seq"),
                limit: target.queryValue("limit")),
            actor)
    }
}

/// The body of `POST /v1/triggers/NAME/replay`.
///
/// - Confinement: any
struct ReplayBody {
    let range: ReplayRange
    let isDryRun: Bool

    /// - Throws: `Refusal` naming the field.
    init(_ body: JSONObject, of name: String) throws(Refusal) {
        try body.allow(["from", "to", "dryRun", "limit"])
        func number(_ field: String) throws(Refusal) -> Int64? {
            guard let value = body[field], !value.isNull else { return nil }
            guard let number = value.integerValue else { throw Refusal.badRequest(field: field, "must be a number") }
            return number
        }
        guard let from = try number("from") else { throw Refusal.badRequest(field: "from", "is required: a position") }
        let limit = try number("limit").map { Int(clamping: $0) }
        range = try ReplayRange(name: name, from: from, to: try number("to") ?? Position.bound - 1, limit: limit)
        isDryRun = try body.flag("dryRun") ?? true
    }
}
