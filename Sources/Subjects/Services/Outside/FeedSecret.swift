package import Feeds
package import JSON
import Model
import Store

/// The key of a feed in a request.
///
/// - Confinement: any
package struct FeedSecret: Sendable, Hashable, CustomStringConvertible {
    /// Nil deletes the key.
    package let text: String?

    /// - Throws: `FeedProblem` when a request to the source cannot contain it.
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

    /// Does not show the key.
    package var description: String { "a key" }
}
