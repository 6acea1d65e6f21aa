import Authentication
import ClientProtocol
import JSON
import Model
import Wire

/// The request of `GET /v1/events`: what `hello` says in a session, in header fields and the query.
///
/// - Confinement: any
struct EventsRequest: Sendable {
    let claims: Claims
    let hello: Command.Hello
    /// What is to be watched from the beginning on.
    let watches: [Command.WatchedPath]

    /// - Throws: `Refusal` naming the header field or the query's item.
    init(_ call: HTTPCall, on server: LoopServer) throws(Refusal) {
        claims = try call.claims(on: server)
        var members: JSONObject = ["type": "hello"]
        for name in ["device", "locale"] {
            if let value = call.head.target.queryValue(name) { members[name] = .string(value) }
        }
        switch CommandDecoder.decode(JSONValue.object(members).bytes) {
        case .failure(let refused): throw refused.refusal
        case .success(let envelope):
            guard case .hello(var hello) = envelope.command else {
                throw Refusal(.internal, "a hello was read as another command")
            }
            hello.since = try Self.since(call)
            self.hello = hello
        }
        watches = try Self.watches(call)
    }

    /// `watch`: paths with commas between them, which no path has.
    private static func watches(_ call: HTTPCall) throws(Refusal) -> [Command.WatchedPath] {
        guard let text = call.head.target.queryValue("watch") else { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= Limits.watchesMax else {
            throw Refusal(.tooMany, "at most \(Limits.watchesMax) watches", field: "watch")
        }
        var paths: [Command.WatchedPath] = []
        for part in parts {
            if let path = try? DocumentPath(String(part)) {
                paths.append(.document(path))
            } else if let collection = try? DocumentPath.collection(String(part)) {
                paths.append(.collection(collection))
            } else {
                throw Refusal.badRequest(
                    field: "watch", "must be paths of documents or collections, with commas between")
            }
        }
        return paths
    }

    /// `Last-Event-ID`, which browsers send when they connect again, goes before the query they still send.
    private static func since(_ call: HTTPCall) throws(Refusal) -> Command.ResumePoint? {
        if let text = call.head.headers["Last-Event-ID"], !text.isEmpty { return try point(text, "Last-Event-ID") }
        return try call.head.target.queryValue("since").map { text throws(Refusal) in try point(text, "since") }
    }

    private static func point(_ text: String, _ field: String) throws(Refusal) -> Command.ResumePoint {
        guard let dot = text.lastIndex(of: "."), let epoch = Epoch(String(text[..<dot])),
            let seq = Int64(text[text.index(after: dot)...]), (0..<Position.bound).contains(seq)
        else { throw Refusal.badRequest(field: field, "must be EPOCH.SEQ, the id of an event") }
        return Command.ResumePoint(epoch: epoch, seq: Position(seq))
    }
}
