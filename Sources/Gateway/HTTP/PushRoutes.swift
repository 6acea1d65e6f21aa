import ClientProtocol
import Execution
import JSON
import Mail
import Model
import Services
import Wire

/// Pushes: `/v1/push…`.
///
/// - Confinement: loop
struct PushRoutes: AdminRoutes {
    let call: HTTPCall
    let door: any RequestDoor

    /// - Parameter rest: segments after `push`.
    func route(_ rest: [String]) throws(Refusal) -> Route {
        switch (rest.first, rest.dropFirst().first) {
        case ("key", nil): return try key()
        case ("devices", nil): return try devices()
        case ("devices", let id?) where rest.count == 2: return try device(id)
        case ("test", nil): return try test()
        case ("jobs", nil): return try jobs()
        case ("jobs", let id?) where rest.count == 2: return try job(id)
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    /// The public key that a browser needs to subscribe: for everybody, as it is in the answer to every `hello`.
    private func key() throws(Refusal) -> Route {
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        guard let key = door.settings.pushOffer.webPushKey else {
            throw Refusal(.notFound, "this server sends no Web Push: its operator has not set push-contact")
        }
        return .now(.json(["webpush": .string(key)], status: 200))
    }

    private func devices() throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        let before = call.head.target.queryValue("before")
        return .read(ListPushDevices(of: try user(), before: before, limit: try call.limit()), actor)
    }

    /// The user of the query; nil when none is named.
    private func user() throws(Refusal) -> UserID? {
        guard let text = call.head.target.queryValue("user") else { return nil }
        guard let id = UserID(text) else { throw Refusal.badRequest(field: "user", "must be \(UserID.form)") }
        return id
    }

    private func device(_ text: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard method == "DELETE" else { return notAllowed("DELETE") }
        guard let id = Int64(text), id > 0 else { throw Refusal(.notFound, "there is no device \(text)", field: "id") }
        return .write(DeletePushDevice(id: id), actor)
    }

    private func test() throws(Refusal) -> Route {
        let actor = try administrator()
        guard method == "POST" else { return notAllowed("POST") }
        guard door.settings.mail.push != nil else { throw Refusal(.unavailable, "this server sends no pushes") }
        return .pushTrial(try PushTrial(call.object()), actor)
    }

    private func jobs() throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        let query = call.head.target.queryValue
        return .read(
            ListPushJobs(of: try user(), state: query("state"), before: query("before"), limit: try call.limit()), actor
        )
    }

    private func job(_ text: String) throws(Refusal) -> Route {
        let actor = try administrator()
        guard ["GET", "HEAD"].contains(method) else { return notAllowed("GET, HEAD") }
        guard let id = Int64(text), id > 0 else {
            throw Refusal(.notFound, "there is no push job \(text)", field: "id")
        }
        let after = call.head.target.queryValue("after")
        return .read(ReadPushJob(id: id, after: after, limit: try call.limit()), actor)
    }
}
