import ClientProtocol
import Model
import Wire

extension HTTPCall {
    /// Checks that the query has known parameters alone, and each once: one that is misspelled would otherwise be a filter that
    /// filters nothing.
    ///
    /// Names that begin with `_` are the client's own, such as the `_=TIME` by which some get around caches; `lastEventId` is added by
    /// libraries that stand in for a browser's `EventSource`, beside the field that counts.
    ///
    /// - Parameter known: the parameters of the path.
    /// - Throws: `Refusal` naming the parameter.
    func checkQuery(_ known: [ValueForm.Member]) throws(Refusal) {
        let query = head.query
        for (place, item) in query.enumerated() where !item.name.hasPrefix("_") && item.name != "lastEventId" {
            let field = String(item.name.prefix(64))
            guard known.contains(where: { $0.name == item.name }) else {
                throw Refusal.badRequest(
                    field: field, "is no parameter of this path" + Self.hint(field, known.map(\.name)))
            }
            guard !query[..<place].contains(where: { $0.name == item.name }) else {
                throw Refusal.badRequest(field: field, "stands in the query twice")
            }
        }
    }

    private static func hint(_ name: String, _ known: [String]) -> String {
        guard !known.isEmpty else { return ", which has none" }
        if let near = NearestName.of(name, among: known) { return "; did you mean '\(near)'?" }
        return "; known are: \(known.joined(separator: ", "))"
    }
}
