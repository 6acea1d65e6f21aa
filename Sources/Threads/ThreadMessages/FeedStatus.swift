package import JSON
package import Model
import Synchronization

/// The state of a feed, as `GET /v1/feeds` shows it; counts begin at the start of the server.
///
/// - Confinement: any
package struct FeedStatus: Sendable, Hashable {
    package var lastSuccess: Timestamp?
    package var lastError: String?
    package var lastErrorAt: Timestamp?
    /// Oddities of the last answer that was read in spite of them; nil when there are none.
    package var remark: String?
    package var nextRun: Timestamp?
    /// Parts of the feed whose last request failed.
    package var failing = 0
    /// Requests that are running or waiting.
    package var waiting = 0
    package var rounds = 0
    package var requests = 0
    /// Answers with status 304, or with known content.
    package var unchanged = 0
    package var written = 0
    package var failures = 0

    package init() {}

    package var json: JSONObject {
        let text = { (time: Timestamp?) -> JSONValue in time.map { .string($0.text) } ?? .null }
        return [
            "lastSuccess": text(lastSuccess), "lastError": lastError.map { .string($0) } ?? .null,
            "lastErrorAt": text(lastErrorAt), "remark": remark.map { .string($0) } ?? .null, "nextRun": text(nextRun),
            "failing": .integer(Int64(failing)),
            "waiting": .integer(Int64(waiting)), "rounds": .integer(Int64(rounds)),
            "requests": .integer(Int64(requests)), "unchanged": .integer(Int64(unchanged)),
            "written": .integer(Int64(written)), "failures": .integer(Int64(failures)),
        ]
    }
}

/// The states of all feeds: the feeds' thread writes them, the loops read them.
///
/// - Confinement: any
package final class FeedBoard: Sendable {
    /// Protected by its lock, taken once for each answer of a source.
    private let states = Mutex<[String: FeedStatus]>([:])

    package init() {}

    /// Replaces the states of all feeds.
    package func show(_ new: [String: FeedStatus]) { states.withLock { $0 = new } }

    /// The states by the feeds' names.
    package var all: [String: JSONObject] { states.withLock { $0.mapValues(\.json) } }
}
