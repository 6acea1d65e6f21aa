import Client
import Console
import JSON
import Model

/// Entries of a list that the server gives in pages.
struct Listing {
    /// The member of the answer that holds the entries.
    let name: String
    let entries: [JSONValue]
    /// Where the next page begins; nil if these are all.
    let next: String?

    /// Prints the entries as a table, or as JSON in the form of the server's answer.
    ///
    /// - Parameters:
    ///   - besides: what the JSON bears before the entries.
    ///   - none: the sentence for an empty list.
    ///   - more: the sentence that says how to see the next page, which begins at the value given.
    func show(
        asJSON: Bool, besides: JSONObject = JSONObject(), none: String,
        more: (String) -> String = { _ in "There are more; use --limit" },
        _ columns: Table.Column...
    ) {
        show(asJSON: asJSON, besides: besides, none: none, more: more, columns)
    }

    /// The same with columns in a list.
    func show(
        asJSON: Bool, besides: JSONObject = JSONObject(), none: String,
        more: (String) -> String = { _ in "There are more; use --limit" }, _ columns: [Table.Column]
    ) {
        if asJSON {
            var answer = besides
            answer[name] = .array(entries)
            answer["next"] = next.map { .string($0) }
            return Terminal.line(JSONValue.object(answer).text)
        }
        if entries.isEmpty { return Terminal.plainError(none) }
        Table(of: entries, columns).show()
        if let next { Terminal.plainError(more(next)) }
    }
}

extension AdminClient {
    /// Asks for the entries of a list, page by page, up to a limit.
    ///
    /// - Parameters:
    ///   - list: the member of the answer that holds the entries.
    ///   - query: of every page; `limit` and the cursor come by themselves.
    ///   - cursor: the query item that says where a page begins.
    ///   - start: where the first page begins; nil for the beginning.
    func pages(
        of path: String, _ list: String, query: [(String, String)] = [], cursor: String = "before",
        from start: String? = nil, limit: Int
    ) throws -> Listing {
        guard limit > 0 else { throw CommandFailure(.misused, "--limit must be 1 or more") }
        var found: [JSONValue] = []
        var next = start
        repeat {
            var items = query + [("limit", String(min(limit - found.count, Limits.pageMax)))]
            if let next { items.append((cursor, next)) }
            let page = try ask("GET", path, query: items)
            found += page[list]?.arrayValue ?? []
            next = page["next"]?.stringValue
        } while next != nil && found.count < limit
        return Listing(name: list, entries: found, next: next)
    }
}
