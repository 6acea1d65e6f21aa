import Feeds
import JSON
import ThreadMessages

/// A feed that is fetched once to see what would be written; nothing is written.
///
/// - Confinement: any
struct FeedTrial {
    let definition: FeedDefinition
    let key: String?
    let address: ConnectionAddress
    var queue: [FeedTarget]
    var requests: [JSONValue] = []
    var documents: [JSONValue] = []

    var json: JSONObject {
        [
            "name": .string(definition.name), "requests": .array(requests), "documents": .array(documents),
            "left": .integer(Int64(queue.count)),
        ]
    }
}
