package import JSON
package import Model
import Synchronization

/// How a feed fares, as `GET /v1/feeds` tells it; counts are since the start.
///
/// - Confinement: any
package struct FeedStatus: Sendable, Hashable {
    package var lastSuccess: Timestamp?
    package var lastError: String?
    package var lastErrorAt: Timestamp?
    package var nextRun: Timestamp?
    /// Things whose newest answer could not be had.
    package var failing = 0
    /// Requests under way or waiting for their turn.
    package var waiting = 0
    package var rounds = 0
    package var requests = 0
    /// Answered with 304, or with what was known already.
    package var unchanged = 0
    package var written = 0
    package var failures = 0

    package init() {}

    package var json: JSONObject {
        let text = { (time: Timestamp?) -> JSONValue in time.map { .string($0.text) } ?? .null }
        return [
            "lastSuccess": text(lastSuccess), "lastError": lastError.map { .string($0) } ?? .null,
            "lastErrorAt": text(lastErrorAt), "nextRun": text(nextRun), "failing": .integer(Int64(failing)),
            "waiting": .integer(Int64(waiting)), "rounds": .integer(Int64(rounds)),
            "requests": .integer(Int64(requests)), "unchanged": .integer(Int64(unchanged)),
            "written": .integer(Int64(written)), "failures": .integer(Int64(failures)),
        ]
    }
}

/// Where the thread of the feeds writes how they fare, and the loops read it.
///
/// - Confinement: any
package final class FeedBoard: Sendable {
    /// Protected by its lock, taken once for each answer of a source.
    private let states = Mutex<[String: FeedStatus]>([:])

    package init() {}

    /// Writes down how all feeds fare.
    package func show(_ new: [String: FeedStatus]) { states.withLock { $0 = new } }

    /// How each fares, by name.
    package var all: [String: JSONObject] { states.withLock { $0.mapValues(\.json) } }
}
