import ClientProtocol
import EventLoop
import Feeds
import JSON
import Mail
import Model
import Services
import Wire

extension AdminAPI {
    /// `/v1/feeds`, `/v1/feeds/NAME`, `/v1/feeds/NAME/run`, `/v1/feeds/NAME/test`.
    func feeds(_ rest: [String]) throws(Refusal) -> Route {
        let actor = try administrator()
        guard let desk = door.settings.feeds else { throw Refusal(.unavailable, "this server fetches no feeds") }
        let name = rest.first
        switch (method, name, rest.dropFirst().first) {
        case ("GET", _, nil), ("HEAD", _, nil):
            return .read(
                ReadFeeds(
                    name: name, configured: desk.configured, withKey: desk.withKey, states: desk.board.all), actor)
        case ("PUT", let name?, nil):
            return .write(
                try PutFeed(
                    name: name, row: call.object(), configured: desk.configuredNames, key: call.key()), actor)
        case ("DELETE", let name?, nil):
            return .write(try DeleteFeed(name: name, configured: desk.configuredNames), actor)
        case ("POST", let name?, "run"):
            return .write(RunFeed(name: name, configured: desk.configuredNames, key: try call.key()), actor)
        case ("POST", let name?, "test"): return try trial(name)
        case (_, nil, _): return notAllowed("GET, HEAD")
        case (_, _, nil): return notAllowed("GET, HEAD, PUT, DELETE")
        case (_, _, "run"), (_, _, "test"): return notAllowed("POST")
        default: throw Refusal(.notFound, "there is nothing at \(call.head.path)")
        }
    }

    private func trial(_ name: String) throws(Refusal) -> Route {
        var row = try call.object()
        row["name"] = .string(name)
        for field in ["keyFile", "keyEnvironment"] where row[field] != nil {
            throw Refusal.badRequest(field: field, "is only for feeds of the configuration file; give key here")
        }
        do {
            let secret = try row["key"].map { value throws(FeedProblem) in try FeedSecret(value) }
            return .feedTrial(try FeedDefinition(row), secret)
        } catch {
            throw Refusal.badRequest(field: error.field, error.message)
        }
    }
}

extension HTTPResponse {
    /// A JSON object made here.
    static func json(_ object: JSONObject, status: Int) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONValue.object(object).bytes)
    }
}
