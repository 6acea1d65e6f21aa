package import Journal
import Model

/// A standby's question for the entries that follow the newest one that it has read.
///
/// - Confinement: any
package struct StandbyQuestion: Sendable, Hashable {
    /// The newest entry that it has read; nil for a server that has no database yet.
    package var place: JournalPlace?
    /// Of its database; empty without one.
    package var epoch = ""
    /// The number of its program's newest migration.
    package var schema: Int
    /// Its own URL, where the primary can see later whether this standby has taken its place.
    package var address: String?
    /// Whether its disk has everything up to the end that the primary has given.
    package var hasEnd = false

    package init(place: JournalPlace? = nil, schema: Int) {
        self.place = place
        self.schema = schema
    }

    /// The query of the request.
    package var query: String {
        var query = "schema=\(schema)"
        if let place { query += "&after=\(place.sequence)&term=\(place.term)&epoch=\(epoch)" }
        if hasEnd { query += "&end=true" }
        if let address { query += "&address=\(address)" }
        return query
    }

    /// A mistake in a query.
    ///
    /// - Confinement: any
    package struct Mistake: Error, Hashable, Sendable {
        /// The item of the query.
        package let item: String
        package let message: String
    }

    /// How long the URL of a standby may be.
    package static let addressBytesMax = 1024

    /// Reads a query.
    ///
    /// - Parameter value: the value of a name.
    /// - Throws: ``Mistake``
    package init(_ value: (String) -> String?) throws(Mistake) {
        func read<Value>(
            _ item: String, _ form: String, _ parse: (String) -> Value?
        ) throws(Mistake) -> Value? {
            guard let text = value(item) else { return nil }
            guard let read = parse(text) else { throw Mistake(item: item, message: "must be \(form)") }
            return read
        }
        func number(_ item: String) throws(Mistake) -> UInt64? {
            try read(item, "the number of a newest entry, or its term") { text in
                UInt64(text).flatMap { $0 < UInt64(Position.bound) ? $0 : nil }
            }
        }
        let schema = try read("schema", "the number of a migration") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } }
        let (after, term) = (try number("after"), try number("term"))
        let epoch = try read("epoch", "an epoch: 1 to 64 visible ASCII characters", Epoch.init)
        let hasEnd = try read("end", "true or false", Bool.init)
        let address = try read("address", "a URL") {
            Identifier.isVisibleASCII($0, bytesMax: Self.addressBytesMax) ? $0 : nil
        }
        guard let schema else { throw Mistake(item: "schema", message: "is required") }
        self.init(schema: schema)
        self.hasEnd = hasEnd ?? false
        self.address = address
        // A server that has no database yet has none of the three.
        for (item, isThere) in [("after", after != nil), ("term", term != nil), ("epoch", epoch != nil)]
        where !isThere && !(after == nil && term == nil && epoch == nil) {
            throw Mistake(item: item, message: "is required: after, term and epoch come together")
        }
        guard let after, let term, let epoch else { return }
        place = JournalPlace(sequence: after, term: term)
        self.epoch = epoch.text
    }
}
