package import JSON
import Model

/// One feed: an external source, the wanted parts of it, and how often to ask.
///
/// The key is not part of it. It is kept apart, so that code that shows a feed cannot show its key.
///
/// - Confinement: any
package struct FeedDefinition: Sendable, Hashable {
    /// The kind of the source, and so of its documents.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The Movie Database, version 3: people with their credits, series.
        case tmdb
        /// The air quality of the Polish inspectorate GIOŚ: stations and their indexes.
        case gios
        /// RSS or Atom: announcements.
        case rss
    }

    /// The wanted people, series or stations: the listed ones, and with `followed` also those that somebody follows.
    package struct Wanted: Sendable, Hashable {
        package var ids: [String] = []
        package var isFollowed = false
        /// All stations; not possible for other kinds.
        package var isAll = false

        /// Whether nothing is wanted.
        package var isEmpty: Bool { ids.isEmpty && !isFollowed && !isAll }
    }

    package let name: String
    package let kind: Kind
    /// The address of the source, without a slash at the end; for `rss`, of the feed itself.
    package let url: String
    package let intervalMilliseconds: Int64
    package let people: Wanted
    package let series: Wanted
    package let stations: Wanted
    /// Codes of pollutants whose values are wanted besides the index, for example `PM10`.
    package let pollutants: [String]
    /// The language of titles and names, for example `it-IT`; only for `tmdb`.
    package let language: String?
    /// The collection of the announcements; only for `rss`.
    package let collection: String
    package let requestsPerSecond: Int64
    /// Whether the documents of the first answer are written without notifying anybody.
    package let isFirstFetchQuiet: Bool
    package let isEnabled: Bool

    /// Reads a feed's description; a key in it is ignored.
    ///
    /// - Throws: ``FeedProblem`` naming the member.
    package init(_ object: JSONObject) throws(FeedProblem) {
        var reader = FeedFields(object)
        name = try reader.name()
        kind = try reader.kind()
        url = try reader.url(kind.standardURL)
        intervalMilliseconds = try reader.interval(kind.standardInterval)
        let people = try reader.wanted("people", of: [.tmdb], kind)
        let series = try reader.wanted("series", of: [.tmdb], kind)
        let isBare = people == nil && series == nil
        let followed = Wanted(isFollowed: true)
        self.people = people ?? (kind == .tmdb && isBare ? followed : Wanted())
        self.series = series ?? (kind == .tmdb && isBare ? followed : Wanted())
        stations = try reader.wanted("stations", of: [.gios], kind) ?? (kind == .gios ? followed : Wanted())
        pollutants = try reader.pollutants(kind)
        language = try reader.language(kind)
        collection = try reader.collection(kind)
        requestsPerSecond = try reader.number("requestsPerSecond", in: FeedLimits.rates) ?? FeedLimits.rateDefault
        isFirstFetchQuiet = try reader.truth("backfill") ?? true
        isEnabled = try reader.truth("enabled") ?? true
        try reader.end()
    }

    /// The complete description, with every member but the key; it can be put again.
    package var json: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "kind": .string(kind.rawValue), "url": .string(url),
            "interval": .string(TimeSpan.text(ofMilliseconds: intervalMilliseconds)),
        ]
        switch kind {
        case .tmdb:
            object["people"] = people.json
            object["series"] = series.json
            object["language"] = language.map { .string($0) } ?? .null
        case .gios:
            object["stations"] = stations.json
            object["pollutants"] = .array(pollutants.map { .string($0) })
        case .rss: object["collection"] = .string(collection)
        }
        object["requestsPerSecond"] = .integer(requestsPerSecond)
        object["backfill"] = .bool(isFirstFetchQuiet)
        object["enabled"] = .bool(isEnabled)
        return object
    }

    /// Identifies the source: two descriptions with the same value get the same answers.
    package var source: String { "\(kind.rawValue) \(url) \(language ?? "") \(collection)" }

    /// Scheme, host and port of ``url``: the server that gets the key.
    package var origin: Substring {
        let scheme = url.prefix { $0 != "/" }.count + 2
        return url.prefix(scheme + url.dropFirst(scheme).prefix { !"/?".contains($0) }.count)
    }
}

extension FeedDefinition.Kind {
    /// The default address; nil where an address must be given.
    var standardURL: String? {
        switch self {
        case .tmdb: "https://api.themoviedb.org/3"
        case .gios: "https://api.gios.gov.pl/pjp-api/v1/rest"
        case .rss: nil
        }
    }

    /// The default interval in milliseconds: credits change daily, indexes hourly, announcements at any time.
    var standardInterval: Int64 {
        switch self {
        case .tmdb: 6 * 3_600_000
        case .gios, .rss: 600_000
        }
    }
}

extension FeedDefinition.Wanted {
    /// The form in a description.
    var json: JSONValue {
        .array((isFollowed ? ["followed"] : []) + (isAll ? ["all"] : []) + ids.map { .string($0) })
    }
}
