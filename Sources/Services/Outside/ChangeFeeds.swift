package import ClientProtocol
package import Feeds
package import JSON
package import Model
import Store
import Synchronization

/// `PUT /v1/feeds/NAME`: a feed, new or over the old one.
///
/// - Confinement: any
package struct PutFeed: WriteUseCase {
    package var feedNews: FeedNews? { .changed }
    let definition: FeedDefinition
    /// Nil keeps the one that is there, if the source is still the same.
    let secret: FeedSecret?
    package let key: WriteKey?

    /// - Parameter configured: names of the feeds of the configuration, which are not to be changed here.
    /// - Throws: `Refusal` naming the member.
    package init(name: String, row: JSONObject, configured: Set<String>, key: WriteKey?) throws(Refusal) {
        var row = row
        if let written = row["name"], written != .string(name) {
            throw Refusal.badRequest(field: "name", "must be \(name), as in the address, or absent")
        }
        row["name"] = .string(name)
        // A file or a variable of the server is for who may change its configuration, not for who holds a token.
        for field in ["keyFile", "keyEnvironment"] where row[field].map({ !$0.isNull }) ?? false {
            throw Refusal.badRequest(field: field, "is only for feeds of the configuration file; give key here")
        }
        do {
            definition = try FeedDefinition(row)
            secret = try row["key"].map { value throws(FeedProblem) in try FeedSecret(value) }
        } catch {
            throw Refusal.badRequest(field: error.field, error.message)
        }
        guard !configured.contains(name) else { throw Refusal.feedIsConfigured(name) }
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("feed.put")
        fingerprint.add(JSONValue.object(definition.json).text)
        fingerprint.add(secret?.text)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let table = context.transaction.feeds
        let stored = try table.find(definition.name)
        if try stored == nil && table.all().count >= FeedLimits.feedsMax {
            throw Refusal(
                .tooMany,
                "there are already \(FeedLimits.feedsMax) feeds, the most that is allowed; delete some", field: "name")
        }
        let earlier = stored.flatMap { try? FeedDefinition(StoredJSON.object($0.row, place: "feeds.row")) }
        // The key goes to the source that it was given for, and to no other.
        let isSameSource = earlier.map { $0.kind == definition.kind && $0.origin == definition.origin } ?? false
        let kept = secret == nil && isSameSource ? stored?.key : secret?.text
        let position = try context.transaction.appendSilently()
        let row = FeedEntry(name: definition.name, row: JSONValue.object(definition.json).text, key: kept)
        try table.put(row, at: position)
        if earlier?.source != definition.source { try table.forget(of: definition.name) }
        reply.member("name", definition.name)
        reply.member("hasKey", kept != nil)
        reply.member("seq", position.value)
    }
}

/// The key of a feed as it is given.
///
/// - Confinement: any
package struct FeedSecret: Sendable, Hashable, CustomStringConvertible {
    /// Nil takes the key away.
    package let text: String?

    /// - Throws: `FeedProblem` when it could not stand in a request.
    package init(_ value: JSONValue) throws(FeedProblem) {
        guard !value.isNull else {
            text = nil
            return
        }
        guard let key = value.stringValue, (1...2000).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw FeedProblem(field: "key", message: "must be 1 to 2000 printable characters without blanks") }
        text = key
    }

    /// Says nothing.
    package var description: String { "a key" }
}

/// `DELETE /v1/feeds/NAME`. The documents that it brought stay.
///
/// - Confinement: any
package struct DeleteFeed: WriteUseCase {
    package var feedNews: FeedNews? { .changed }
    let name: String

    /// - Throws: `Refusal` for a feed of the configuration.
    package init(name: String, configured: Set<String>) throws(Refusal) {
        guard !configured.contains(name) else { throw Refusal.feedIsConfigured(name) }
        self.name = name
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.feeds.delete(name) else { throw Refusal.feedNotFound(name) }
        try context.transaction.feeds.forget(of: name)
        reply.member("name", name)
        reply.member("seq", try context.transaction.appendSilently().value)
    }
}

/// `POST /v1/feeds/NAME/run`: everything of a feed is to be asked for now.
///
/// - Confinement: any
package struct RunFeed: WriteUseCase {
    package var feedNews: FeedNews? { isToBegin ? .run(name) : nil }
    package let name: String
    let isConfigured: Bool
    package let key: WriteKey?
    private let performed = Performed()

    /// - Parameter configured: names of the feeds of the configuration.
    package init(name: String, configured: Set<String>, key: WriteKey?) {
        self.name = name
        isConfigured = configured.contains(name)
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("feed.run")
        fingerprint.add(name)
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try isConfigured || context.transaction.feeds.find(name) != nil else { throw Refusal.feedNotFound(name) }
        performed.flag.store(true, ordering: .relaxed)
        reply.member("name", name)
        reply.member("started", true)
    }

    /// Whether it was done just now, and not under the same key before.
    package var isToBegin: Bool { performed.flag.load(ordering: .relaxed) }

    /// A use case is a value that the writer is given a copy of: this is what both see.
    ///
    /// - Confinement: any
    private final class Performed: Sendable {
        let flag = Atomic(false)
    }
}

/// `GET /v1/feeds` and `GET /v1/feeds/NAME`: descriptions without keys, and how each fares.
///
/// - Confinement: any
package struct ReadFeeds: ReadUseCase {
    let name: String?
    let configured: [FeedDefinition]
    let withKey: Set<String>
    let states: [String: JSONObject]

    /// - Parameters:
    ///   - name: of one; nil for all.
    ///   - configured: the feeds of the configuration.
    ///   - withKey: those of them that have a key.
    ///   - states: how each fares, by name.
    package init(
        name: String?, configured: [FeedDefinition], withKey: Set<String>, states: [String: JSONObject]
    ) {
        self.name = name
        self.configured = configured
        self.withKey = withKey
        self.states = states
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        var rows: [(name: String, row: JSONObject)] = configured.map { feed in
            var row = feed.json
            row["hasKey"] = .bool(withKey.contains(feed.name))
            row["source"] = "configuration"
            return (feed.name, row)
        }
        for stored in try context.transaction.feeds.all() where !rows.contains(where: { $0.name == stored.name }) {
            var row = try StoredJSON.object(stored.row, place: "feeds.row")
            row["hasKey"] = .bool(stored.key != nil)
            row["source"] = "database"
            rows.append((stored.name, row))
        }
        rows.sort { $0.name < $1.name }
        for index in rows.indices { rows[index].row["state"] = .object(states[rows[index].name] ?? JSONObject()) }
        guard let name else {
            return reply.member("feeds", .array(rows.map { .object($0.row) }))
        }
        guard let row = rows.first(where: { $0.name == name }) else { throw Refusal.feedNotFound(name) }
        for (name, value) in row.row.members { reply.member(name, value) }
    }
}

extension Refusal {
    static func feedNotFound(_ name: String) -> Refusal {
        Refusal(.notFound, "there is no feed \(name)", field: "name")
    }

    static func feedIsConfigured(_ name: String) -> Refusal {
        Refusal(.forbidden, "feed \(name) comes from the configuration file; change it there", field: "name")
    }
}
