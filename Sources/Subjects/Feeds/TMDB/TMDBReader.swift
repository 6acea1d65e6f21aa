import JSON
import Model

/// Answers of The Movie Database, version 3, as documents.
///
/// - Confinement: any
struct TMDBReader {
    /// The feed's name; it marks the documents that the feed may delete again.
    let feed: String

    /// `person/ID` with `combined_credits`: `people/ID` and a document for each film or series under `credits`.
    func person(_ id: String, _ json: JSONValue) throws(FeedUnreadable) -> FeedFindings {
        guard json["id"]?.looseText == id, let credits = json["combined_credits"],
            let cast = credits["cast"]?.arrayValue, let crew = credits["crew"]?.arrayValue
        else { throw FeedUnreadable("the answer is not person \(id) with combined_credits") }
        var products = TMDBCredits()
        for entry in crew { products.add(entry, job: entry["job"]?.looseText ?? entry["department"]?.looseText) }
        for entry in cast { products.add(entry, job: nil) }
        var findings = FeedFindings()
        if let path = try? DocumentPath("people/\(id)") {
            findings.drafts.append(FeedDraft(path, .fields(person(json))))
        }
        let collection = "people/\(id)/credits"
        for credit in products.all.prefix(FeedLimits.creditsMax) {
            guard let path = try? DocumentPath("\(collection)/\(credit.product)") else { continue }
            findings.drafts.append(FeedDraft(path, .fields(credit.json(feed: feed))))
        }
        findings.whole = (collection, Set(products.all.map(\.product)))
        return findings
    }

    private func person(_ json: JSONValue) -> JSONObject {
        [
            "name": Self.name(json["name"]), "department": Self.name(json["known_for_department"]),
            "birthday": Self.date(json["birthday"]), "deathday": Self.date(json["deathday"]),
        ]
    }

    /// `tv/ID`: `series/ID`.
    func series(_ id: String, _ json: JSONValue) throws(FeedUnreadable) -> FeedFindings {
        guard json["id"]?.looseText == id, let path = try? DocumentPath("series/\(id)") else {
            throw FeedUnreadable("the answer is not series \(id)")
        }
        // TMDB uses the number 0 for specials.
        let listed = (json["seasons"]?.arrayValue ?? []).count { ($0["season_number"]?.looseInteger ?? 0) > 0 }
        guard let seasons = json["number_of_seasons"]?.looseInteger ?? (listed > 0 ? Int64(listed) : nil) else {
            throw FeedUnreadable("the answer does not say how many seasons series \(id) has")
        }
        let next = json["next_episode_to_air"]
        let fields: JSONObject = [
            "title": Self.name(json["name"] ?? json["original_name"]),
            "product": .string("tv/\(id)"),
            "seasons": .integer(seasons),
            "episodes": json["number_of_episodes"]?.looseInteger.map { .integer($0) } ?? .null,
            "firstAirDate": Self.date(json["first_air_date"]),
            "lastAirDate": Self.date(json["last_air_date"]),
            "nextAirDate": Self.date(next?["air_date"]),
            "nextSeason": next?["season_number"]?.looseInteger.map { .integer($0) } ?? .null,
            "nextEpisode": next?["episode_number"]?.looseInteger.map { .integer($0) } ?? .null,
            "status": Self.name(json["status"]),
        ]
        var findings = FeedFindings()
        findings.drafts = [FeedDraft(path, .fields(fields))]
        return findings
    }

    /// A name or a title, bounded; null when there is none.
    static func name(_ value: JSONValue?) -> JSONValue {
        guard let text = value?.looseText else { return .null }
        let name = PlainText.cut(text, to: FeedLimits.nameCharactersMax)
        return name.isEmpty ? .null : .string(name)
    }

    /// `YYYY-MM-DD`; null when it is missing, empty or no day.
    static func date(_ value: JSONValue?) -> JSONValue {
        guard let text = value?.stringValue, text.utf8.count == 10, Timestamp(text) != nil else { return .null }
        return .string(text)
    }
}
