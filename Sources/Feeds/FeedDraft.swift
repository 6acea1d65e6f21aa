package import JSON
package import Model

/// A document as a source has it, to be laid over the one that is stored.
///
/// - Confinement: any
package struct FeedDraft: Sendable, Hashable {
    /// What the source says.
    package enum Content: Sendable, Hashable {
        /// These members; others that the application added stay.
        case fields(JSONObject)
        /// An index, of an hour.
        case reading(FeedReading)
        /// A value of one pollutant under `values`.
        case value(JSONObject, code: String)
        /// The source has it no more: it goes if this feed wrote it.
        case withdrawn(feed: String)
    }

    /// What is to be done.
    package enum Outcome: Sendable, Hashable {
        case nothing
        case put(JSONObject)
        case delete
    }

    package let path: DocumentPath
    package let content: Content

    package init(_ path: DocumentPath, _ content: Content) {
        self.path = path
        self.content = content
    }

    /// What this makes of the stored document.
    ///
    /// - Parameter stored: nil when there is none.
    package func outcome(over stored: JSONObject?) -> Outcome {
        var body = stored ?? JSONObject()
        switch content {
        case .fields(let fields):
            for (name, value) in fields.members { body[name] = value }
        case .reading(let reading): reading.lay(over: &body)
        case .value(let value, let code):
            var values = body["values"]?.objectValue ?? JSONObject()
            values[code] = .object(value)
            body["values"] = .object(values)
        case .withdrawn(let feed):
            return stored != nil && stored?["feed"] == .string(feed) ? .delete : .nothing
        }
        return body == stored ? .nothing : .put(body)
    }
}

/// The index of a station at an hour.
///
/// - Confinement: any
package struct FeedReading: Sendable, Hashable {
    /// 0 (very good) to 5 (very bad); nil when the station has none at present.
    package let index: Int64?
    package let levelName: String?
    /// The beginning of the hour; nil when the source does not say.
    package let hour: Timestamp?

    /// Lays it over a station's document. The last known index of an earlier hour becomes `previous`, also over hours
    /// without one, as long as it counts; a corrected value of the same hour keeps the `previous` that is there; one of
    /// an hour before that is too late, and ignored.
    func lay(over body: inout JSONObject) {
        let stored = Self.time(body, "at")
        // A station that has no index, and does not say since when, has no hour: the last one is that of its index.
        let last = stored ?? Self.time(body, "previousAt")
        if let hour, let last, hour < last { return }
        let isNewer = hour.map { hour in last.map { hour > $0 } ?? true } ?? false
        let isUndatedGap = hour == nil && index == nil && stored != nil && Self.isKnown(body["index"])
        if isNewer || isUndatedGap {
            let known = lastKnown(in: body)
            body["previous"] = known?.index ?? .null
            body["previousAt"] = known?.at ?? .null
        } else if body["previous"] == nil || hour != nil && stored == nil {
            body["previous"] = .null
            body["previousAt"] = .null
        }
        body["index"] = index.map { .integer($0) } ?? .null
        body["levelName"] = levelName.map { .string($0) } ?? .null
        if let hour { body["at"] = .string(hour.text) } else if isUndatedGap || body["at"] == nil { body["at"] = .null }
    }

    /// The newest index that the document knows, unless it is too old to be compared with; nil when there is none.
    private func lastKnown(in body: JSONObject) -> (index: JSONValue, at: JSONValue)? {
        for (index, at) in [("index", "at"), ("previous", "previousAt")] {
            guard let value = body[index], Self.isKnown(value), let time = Self.time(body, at) else { continue }
            let age = hour.map { $0.milliseconds - time.milliseconds } ?? 0
            return age <= FeedLimits.readingCountsMilliseconds ? (value, body[at] ?? .null) : nil
        }
        return nil
    }

    private static func isKnown(_ value: JSONValue?) -> Bool { value?.isNull == false }

    private static func time(_ body: JSONObject, _ name: String) -> Timestamp? {
        body[name]?.stringValue.flatMap { Timestamp($0) }
    }
}

/// What came of one answer.
///
/// - Confinement: any
package struct FeedFindings: Sendable, Hashable {
    /// In the order in which they are to be written.
    package var drafts: [FeedDraft] = []
    /// What is to be asked for besides, of this round.
    package var more: [FeedTarget] = []
    /// Of a collection the answer has everything: what this feed wrote there and is not among these went.
    package var whole: (collection: String, ids: Set<String>)?

    package static func == (left: FeedFindings, right: FeedFindings) -> Bool {
        left.drafts == right.drafts && left.more == right.more && left.whole?.collection == right.whole?.collection
            && left.whole?.ids == right.whole?.ids
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(drafts) }
}
