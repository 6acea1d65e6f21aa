package import ClientProtocol
package import Execution
import Feeds
package import JSON
package import Model
import Store

/// `PUT /v1/feeds/NAME`: a feed, new or in place of the old one.
///
/// - Confinement: any
package struct PutFeed: WriteUseCase {
    let definition: FeedDefinition
    /// Nil keeps the stored one, if the source is still the same.
    let secret: FeedSecret?
    package let key: WriteKey?

    /// - Parameter configured: the names of the feeds of the configuration, which cannot be changed here.
    /// - Throws: `Refusal` naming the member.
    package init(name: String, row: JSONObject, configured: Set<String>, key: WriteKey?) throws(Refusal) {
        var row = row
        if let written = row["name"], written != .string(name) {
            throw Refusal.badRequest(field: "name", "must be \(name), as in the address, or absent")
        }
        row["name"] = .string(name)
        // Only people who may change the configuration of the server may name its files and variables. A token is not
        // enough.
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

    package func perform(in context: WriteContext) throws -> AnswerWithFact {
        let table = context.transaction.feeds
        let stored = try table.find(definition.name)
        if try stored == nil && table.all().count >= FeedLimits.feedsMax {
            throw Refusal(
                .tooMany,
                "there are already \(FeedLimits.feedsMax) feeds, the most that is allowed; delete some", field: "name")
        }
        let earlier = stored.flatMap { try? FeedDefinition(StoredJSON.object($0.row, place: "feeds.row")) }
        // The key is only for the source for which it was given.
        let isSameSource = earlier.map { $0.kind == definition.kind && $0.origin == definition.origin } ?? false
        let kept = secret == nil && isSameSource ? stored?.key : secret?.text
        let position = try context.transaction.appendSilently()
        let row = FeedEntry(name: definition.name, row: JSONValue.object(definition.json).text, key: kept)
        try table.put(row, at: position)
        if earlier?.source != definition.source { try table.forget(of: definition.name) }
        return AnswerWithFact(
            ["name": .string(definition.name), "hasKey": .bool(kept != nil), "seq": .integer(position.value)],
            .feedsChanged)
    }
}
