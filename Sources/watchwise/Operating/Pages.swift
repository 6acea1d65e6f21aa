import Client
import JSON
import Model

extension AdminClient {
    /// The entries of a list that comes in pages, up to a limit, and the value of `before` for the next page.
    ///
    /// - Parameter query: For every page; `limit` and `before` are added.
    func pages(
        of path: String, _ list: String, query: [(String, String)], limit: Int
    ) throws -> (found: [JSONValue], next: String?) {
        guard limit > 0 else { throw CommandFailure(.misused, "--limit must be 1 or more") }
        var found: [JSONValue] = []
        var next: String?
        repeat {
            var items = query + [("limit", String(min(limit - found.count, Limits.pageMax)))]
            if let next { items.append(("before", next)) }
            let page = try ask(AdminRequest("GET", path, items: items, token: token))
            found += page[list]?.arrayValue ?? []
            next = page["next"]?.stringValue
        } while next != nil && found.count < limit
        return (found, next)
    }
}
