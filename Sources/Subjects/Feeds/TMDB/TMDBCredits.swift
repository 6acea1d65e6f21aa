import JSON

/// The credits of one person, grouped by film or series: a person who wrote, directed and played has one document.
struct TMDBCredits {
    /// The work of a person in a film or a series.
    struct Credit {
        /// `movie/603`, `tv/1399`
        let product: String
        let title: JSONValue
        let releaseDate: JSONValue
        let poster: JSONValue
        var jobs: [String]
        var character: JSONValue

        func json(feed: String) -> JSONObject {
            [
                "job": .string(jobs.contains("Director") ? "Director" : jobs.first ?? "Actor"),
                "jobs": .array(jobs.map { .string($0) }), "title": title, "releaseDate": releaseDate,
                "product": .string(product), "character": character, "poster": poster, "feed": .string(feed),
            ]
        }
    }

    /// In the order of the answer.
    private(set) var all: [Credit] = []
    private var places: [String: Int] = [:]

    /// Adds an entry of `crew`, or of `cast` (without a job); other products than films and series are left out.
    ///
    /// A credit without a date is only planned, and is left out, too. It is written when it gets a date and deleted
    /// when it loses the date, so that nobody is notified of a release without a day.
    mutating func add(_ entry: JSONValue, job: String?) {
        guard let id = entry["id"]?.looseText, FeedTarget.isNumber(id) else { return }
        let isSeries: Bool
        switch entry["media_type"]?.stringValue {
        case "movie": isSeries = false
        case "tv": isSeries = true
        case nil: isSeries = entry["first_air_date"] != nil
        default: return
        }
        let date = TMDBReader.date(entry[isSeries ? "first_air_date" : "release_date"])
        guard !date.isNull else { return }
        let job = job.map { PlainText.cut($0, to: 60) } ?? "Actor"
        let product = (isSeries ? "tv/" : "movie/") + id
        let character = TMDBReader.name(entry["character"])
        if let place = places[product] {
            if !all[place].jobs.contains(job), all[place].jobs.count < 20 { all[place].jobs.append(job) }
            if all[place].character.isNull { all[place].character = character }
            return
        }
        places[product] = all.count
        let title = entry[isSeries ? "name" : "title"] ?? entry[isSeries ? "original_name" : "original_title"]
        all.append(
            Credit(
                product: product, title: TMDBReader.name(title), releaseDate: date,
                poster: TMDBReader.name(entry["poster_path"]), jobs: [job], character: character))
    }
}
