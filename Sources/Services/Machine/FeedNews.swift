import Model
import Store

/// What a write says to the thread that fetches feeds.
///
/// - Confinement: any
package enum FeedNews: Sendable {
    /// The feeds themselves have changed.
    case changed
    /// Everything of a feed is to be fetched now.
    case run(String)
}
