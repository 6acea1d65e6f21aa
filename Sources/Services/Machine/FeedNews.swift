import Model
import Store

/// A change that the thread which fetches feeds must know.
///
/// - Confinement: any
package enum FeedNews: Sendable {
    /// The feeds themselves have changed.
    case changed
    /// Everything of a feed is to be fetched now.
    case run(String)
}
