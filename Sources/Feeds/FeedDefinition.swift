package import JSON
import Model

/// One feed: a source outside, what of it is wanted, and how often.
///
/// Its key is not part of it: it is kept apart, so that nothing which shows a feed can show its key.
///
/// - Confinement: any
package struct FeedDefinition: Sendable, Hashable {
    /// What answers, and which documents its answers become.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The Movie Database, version 3: people with their credits, series.
        case tmdb
        /// The air quality of the Polish inspectorate GIOŚ: stations and their indexes.
        case gios
        /// RSS or Atom: announcements.
        case rss
    }

    /// People, series or stations: the ones listed, and with `followed` those that somebody follows.
    package struct Wanted: Sendable, Hashable {
        package var ids: [String] = []
        package var isFollowed = false
        /// Every one there is; of stations only.
        package var isAll = false

        /// Whether none is.
        package var isEmpty: Bool { ids.isEmpty && !isFollowed && !isAll }
    }

    package let name: String
    package let kind: Kind
    /// Where it answers, without a slash at the end; of `rss` the feed itself.
    package let url: String
    package let intervalMilliseconds: Int64
    package let people: Wanted
    package let series: Wanted
    package let stations: Wanted
    /// Codes of pollutants whose values are wanted besides the index, such as `PM10`.
    package let pollutants: [String]
    /// Of titles and names, such as `it-IT`; of `tmdb` only.
    package let language: String?
    /// The collection of the announcements; of `rss` only.
    package let collection: String
    package let requestsPerSecond: Int64
    /// Whether the first answer is written without notifying anybody.
    package let isFirstFetchQuiet: Bool
    package let isEnabled: Bool

    /// Reads a feed's description; its key, if it bears one, is not looked at.
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

    /// The description, every member spelled out, as it can be put again; without the key.
    package var json: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "kind": .string(kind.rawValue), "url": .string(url),
            "interval": .string(FeedFields.span(intervalMilliseconds)),
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

    /// What makes an answer another one: the same for two descriptions that ask the same.
    package var source: String { "\(kind.rawValue) \(url) \(language ?? "") \(collection)" }

    /// Scheme, host and port of ``url``: to whom its key is shown.
    package var origin: Substring {
        let scheme = url.prefix { $0 != "/" }.count + 2
        return url.prefix(scheme + url.dropFirst(scheme).prefix { !"/?".contains($0) }.count)
    }
}

extension FeedDefinition.Kind {
    /// Where the source answers unless something else is said; nil where that must be said.
    var standardURL: String? {
        switch self {
        case .tmdb: "https://api.themoviedb.org/3"
        case .gios: "https://api.gios.gov.pl/pjp-api/v1/rest"
        case .rss: nil
        }
    }

    /// In milliseconds: credits change by the day, indexes by the hour, announcements at any time.
    var standardInterval: Int64 {
        switch self {
        case .tmdb: 6 * 3_600_000
        case .gios, .rss: 600_000
        }
    }
}

extension FeedDefinition.Wanted {
    /// As it stands in a description.
    var json: JSONValue {
        .array((isFollowed ? ["followed"] : []) + (isAll ? ["all"] : []) + ids.map { .string($0) })
    }
}
