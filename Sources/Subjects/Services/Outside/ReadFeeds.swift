import ClientProtocol
package import Execution
package import Feeds
package import JSON
import Model
import Store

/// `GET /v1/feeds` and `GET /v1/feeds/NAME`: descriptions without keys, and the state of each.
///
/// - Confinement: any
package struct ReadFeeds: ReadUseCase {
    let name: String?
    let configured: [FeedDefinition]
    let withKey: Set<String>
    let states: [String: JSONObject]

    /// - Parameters:
    ///   - name: the name of a feed; nil for all.
    ///   - configured: the feeds of the configuration.
    ///   - withKey: the names of those that have a key.
    ///   - states: the state of each, by name.
    package init(
        name: String?, configured: [FeedDefinition], withKey: Set<String>, states: [String: JSONObject]
    ) {
        self.name = name
        self.configured = configured
        self.withKey = withKey
        self.states = states
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
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
        guard let name else { return ["feeds": .array(rows.map { .object($0.row) })] }
        guard let row = rows.first(where: { $0.name == name }) else { throw Refusal.feedNotFound(name) }
        return row.row
    }
}
