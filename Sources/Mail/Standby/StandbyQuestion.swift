package import Journal

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

    /// Reads a query; nil when it is not one of a standby.
    ///
    /// - Parameter value: the value of a name.
    package init?(_ value: (String) -> String?) {
        guard let schema = value("schema").flatMap({ Int($0) }) else { return nil }
        self.init(schema: schema)
        address = value("address")
        hasEnd = value("end") == "true"
        guard let after = value("after") else { return }
        guard let sequence = UInt64(after), let term = value("term").flatMap({ UInt64($0) }), let epoch = value("epoch")
        else { return nil }
        place = JournalPlace(sequence: sequence, term: term)
        self.epoch = epoch
    }
}
