package import JSON
package import Model

/// A document in the source's version, to be merged into the stored one.
///
/// - Confinement: any
package struct FeedDraft: Sendable, Hashable {
    /// The source's content.
    package enum Content: Sendable, Hashable {
        /// These members; members that the application added are kept.
        case fields(JSONObject)
        /// An index at an hour.
        case reading(FeedReading)
        /// A value of one pollutant under `values`.
        case value(JSONObject, code: String)
        /// The source no longer has the document: it is deleted if this feed wrote it.
        case withdrawn(feed: String)
    }

    /// The action for the stored document.
    package enum Outcome: Sendable, Hashable {
        case nothing
        case put(JSONObject)
        case delete
    }

    /// Another place of the document, by a name that its source gave it earlier.
    package struct Place: Sendable, Hashable {
        package let path: DocumentPath
        /// Whether a document there is the same only if it has the same title, because others share the name.
        package let needsTitle: Bool

        package init(path: DocumentPath, needsTitle: Bool) {
            self.path = path
            self.needsTitle = needsTitle
        }
    }

    package let path: DocumentPath
    package let content: Content
    /// Where the document may stand already, if nothing stands at ``path``; the best guess first.
    package var otherPlaces: [Place] = []

    package init(_ path: DocumentPath, _ content: Content) {
        self.path = path
        self.content = content
    }

    /// The action for a stored document.
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
    /// The beginning of the hour; nil when the source does not give it.
    package let hour: Timestamp?

    /// Merges the reading into a station's document. The last known index of an earlier hour becomes `previous`, also
    /// when there were hours without an index, unless it is too old. A corrected value of the same hour keeps
    /// `previous`. A value of an earlier hour is too late and is ignored.
    func lay(over body: inout JSONObject) {
        let stored = Self.time(body, "at")
        // A station without an index, and without a time for that, has no hour: then the hour of its last index counts.
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

    /// The newest known index of the document, unless it is too old for a comparison; nil when there is none.
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

/// The result of one answer.
///
/// - Confinement: any
package struct FeedFindings: Sendable, Hashable {
    /// In the order of writing.
    package var drafts: [FeedDraft] = []
    /// Further requests of this round.
    package var more: [FeedTarget] = []
    /// A collection that the answer contains completely: documents that this feed wrote there and that are not among
    /// these ids are deleted.
    package var whole: (collection: String, ids: Set<String>)?
    /// Oddities of the answer for the feed's operator, as phrases: the answer was read in spite of them.
    package var remarks: [String] = []

    package static func == (left: FeedFindings, right: FeedFindings) -> Bool {
        left.drafts == right.drafts && left.more == right.more && left.whole?.collection == right.whole?.collection
            && left.whole?.ids == right.whole?.ids && left.remarks == right.remarks
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(drafts) }
}

extension FeedFindings {
    /// The drafts, each at the place where its document stands already.
    ///
    /// A source may rename what it has: a site that moves from `http` to `https` gives all its announcements new names. A document of this
    /// feed that stands at another place of a draft is that draft's, unless another draft has taken it. Where a document of another title
    /// stands at the draft's own place, it is an earlier version of it if nothing of its title stands at another place.
    ///
    /// - Parameter stored: Reads a stored document; nil when there is none.
    package func placed(
        of feed: String, _ stored: (DocumentPath) throws -> JSONObject?
    ) rethrows -> [FeedDraft] {
        var taken = Set(drafts.map(\.path))
        return try drafts.map { draft in
            guard !draft.otherPlaces.isEmpty else { return draft }
            let own = try stored(draft.path)
            if let own, own["title"] == draft.title { return draft }
            for place in draft.otherPlaces where !taken.contains(place.path) {
                guard let body = try stored(place.path), body["feed"] == .string(feed),
                    !place.needsTitle && own == nil || body["title"] == draft.title
                else { continue }
                taken.insert(place.path)
                return FeedDraft(place.path, draft.content)
            }
            return draft
        }
    }
}

extension FeedDraft {
    fileprivate var title: JSONValue? {
        guard case .fields(let fields) = content else { return nil }
        return fields["title"]
    }
}
