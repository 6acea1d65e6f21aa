package import Authentication
package import ClientProtocol
import Model
import Wire

/// The request of `GET /v1/events`: what `hello` says in a session, in header fields and the query.
///
/// - Confinement: any
package struct EventsRequest: Sendable {
    /// Nil where no token is shown: then the stream tells what is watched, and nothing else.
    package let claims: Claims?
    package let hello: HelloCommand
    /// The paths that the stream watches from its beginning.
    package let watches: [WatchedPath]

    /// - Throws: `Refusal` naming the header field or the query's item.
    package init(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) {
        claims = try Self.claims(call, at: door)
        let target = call.head.target
        var hello = try HelloCommand(device: target.queryValue("device"), locale: target.queryValue("locale"))
        hello.since = try Self.since(call)
        self.hello = hello
        watches = try Self.watches(call, max: claims == nil ? DocumentLimits.openWatchesMax : DocumentLimits.watchesMax)
        guard claims != nil || !watches.isEmpty else {
            throw Refusal.badRequest(field: "watch", "is required without a token")
        }
    }

    /// `inbox=off` asks for a stream without a user.
    private static func claims(_ call: HTTPCall, at door: any RequestDoor) throws(Refusal) -> Claims? {
        switch call.head.target.queryValue("inbox") {
        case nil, "on": break
        case "off" where call.head.headers["Authorization"] == nil: return nil
        case "off":
            throw Refusal.badRequest(field: "inbox", "off is for streams without a token; leave out one of the two")
        default: throw Refusal.badRequest(field: "inbox", "must be on or off")
        }
        guard call.bearerToken != nil else {
            throw Refusal(
                .unauthenticated,
                "a token is required in the Authorization header; documents open to anyone are watched with inbox=off",
                field: "inbox")
        }
        return try call.userClaims(at: door)
    }

    /// `watch`: paths with commas between them, which no path has.
    private static func watches(_ call: HTTPCall, max: Int) throws(Refusal) -> [WatchedPath] {
        guard let text = call.head.target.queryValue("watch") else { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= max else {
            throw Refusal(.tooMany, "at most \(max) watches", field: "watch")
        }
        var paths: [WatchedPath] = []
        for part in parts {
            if let path = try? DocumentPath(String(part)) {
                paths.append(.document(path))
            } else if let collection = try? DocumentPath.collection(String(part)) {
                paths.append(.collection(collection))
            } else {
                throw Refusal.badRequest(
                    field: "watch", "must be paths of documents or collections, separated by commas")
            }
        }
        return paths
    }

    /// `Last-Event-ID`, which browsers send when they connect again, goes before the query they still send.
    private static func since(_ call: HTTPCall) throws(Refusal) -> ResumePoint? {
        if let text = call.head.headers["Last-Event-ID"], !text.isEmpty { return try point(text, "Last-Event-ID") }
        return try call.head.target.queryValue("since").map { text throws(Refusal) in try point(text, "since") }
    }

    private static func point(_ text: String, _ field: String) throws(Refusal) -> ResumePoint {
        guard let point = ResumePoint(text) else {
            throw Refusal.badRequest(field: field, "must be EPOCH.SEQ, the id of an event")
        }
        return point
    }
}
