import Model
import Store

/// What a write says to whoever fetches feeds.
///
/// - Confinement: any
package enum FeedNews: Sendable {
    /// The feeds themselves have changed.
    case changed
    /// Everything of a feed is to be asked for now.
    case run(String)
}
