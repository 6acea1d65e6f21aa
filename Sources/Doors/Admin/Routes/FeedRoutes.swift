import Authentication
import ClientProtocol
import EventLoop
import Feeds
package import JSON
import Model
import Services
import ThreadMessages
package import Wire

/// `/v1/feeds`, `/v1/feeds/NAME`, `/v1/feeds/NAME/run`, `/v1/feeds/NAME/test`.
///
/// - Confinement: any
enum FeedRoutes {
    static let all: [AdminRoute] = [
        AdminRoute(
            "GET", "feeds", .read, "feed.list",
            form: RouteForm("The feeds, and how each does.", [.need("feeds", .list(ServerAnswers.feed))])
        ) { call throws(Refusal) in try call.feeds(nil) },
        AdminRoute(
            "GET", "feeds/{name}", .read, "feed.get",
            form: RouteForm("One feed.", .json(ServerAnswers.feed))
        ) { call throws(Refusal) in try call.feeds(call.value) },
        AdminRoute(
            "PUT", "feeds/{name}", .operate, "feed.put", details: ["kind", "interval"],
            form: RouteForm(
                "Writes a feed.", body: .json(.open),
                [.need("name", .sentence), .need("hasKey", .flag), .need("seq", .position)])
        ) { call throws(Refusal) in
            let desk = try call.desk()
            return .write(
                try PutFeed(
                    name: call.value, row: call.request.object(), configured: desk.configuredNames,
                    key: call.request.key()))
        },
        AdminRoute(
            "DELETE", "feeds/{name}", .operate, "feed.delete",
            form: RouteForm("Deletes a feed.", [.need("name", .sentence), .need("seq", .position)])
        ) { call throws(Refusal) in .write(try DeleteFeed(name: call.value, configured: call.desk().configuredNames)) },
        AdminRoute(
            "POST", "feeds/{name}/run", .operate, "feed.run",
            form: RouteForm("Fetches a feed now.", status: 202, [.need("name", .sentence), .need("started", .yes)])
        ) { call throws(Refusal) in
            .write(RunFeed(name: call.value, configured: try call.desk().configuredNames, key: try call.request.key()))
        },
        AdminRoute(
            "POST", "feeds/{name}/test", .operate, "feed.test",
            form: RouteForm(
                "The documents that a feed would write; writes nothing.", body: .json(.open),
                .members(ServerAnswers.feedTrial))
        ) { call throws(Refusal) in try call.trial() },
    ]
}

extension AdminCall {
    fileprivate func desk() throws(Refusal) -> FeedDesk {
        guard let desk = door.settings.feeds else { throw Refusal(.unavailable, "this server fetches no feeds") }
        return desk
    }

    fileprivate func feeds(_ name: String?) throws(Refusal) -> Route {
        let desk = try desk()
        return .read(ReadFeeds(name: name, configured: desk.configured, withKey: desk.withKey, states: desk.board.all))
    }

    fileprivate func trial() throws(Refusal) -> Route {
        _ = try desk()
        var row = try request.object()
        row["name"] = .string(value)
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
    package static func json(_ object: JSONObject, status: Int) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: JSONValue.object(object).bytes)
    }
}
