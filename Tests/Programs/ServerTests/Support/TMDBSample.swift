import JSON
import TestSupport

/// A person and a series in TMDB's answers: made-up ones, and real ones where somebody has them.
struct TMDBSample: Sendable {
    static let all = SampleData.all(with: "tmdb/person-combined-credits.json").map(TMDBSample.init)

    private let data: SampleData
    /// Of the person, and of a film of which the person is no director.
    let id, name, film, job: String
    /// Of another film of the person.
    let other: (id: String, title: JSONValue)
    let series: (id: String, title: String, seasons: Int64)

    private init(_ data: SampleData) {
        self.data = data
        if data.isOwn {
            (id, name, film, job) = ("800105", "Pia Conti", "Il limone di zia Pia", "Producer")
            other = ("700130", "La notte che non c’è")
            series = ("600117", "Das Haus mit den elf Wohnungen", 4)
        } else {
            (id, name, film, job) = ("287", "Brad Pitt", "Big Men", "Executive Producer")
            other = ("109091", "The Counselor")
            series = ("1399", "Game of Thrones", 7)
        }
    }

    func personAnswer() throws -> JSONValue {
        var person = try data.json("tmdb/person.json")
        person["combined_credits"] = try data.json("tmdb/person-combined-credits.json")
        return person
    }

    func seriesAnswer() throws -> JSONValue { try data.json("tmdb/tv-series-details-append-response.json") }
}
