package import JSON
import Model

/// The documents of the demo before the story begins. Writing them again changes nothing.
package enum DemoSeed {
    /// The document that names a film's director.
    ///
    /// - Parameter day: When it comes out; nil for an old film, which is no news.
    package static func credit(_ film: DemoFilm, on day: String? = nil) -> JSONValue {
        var credit: JSONObject = [
            "title": .string(film.title), "year": year(film), "job": "Director",
            "director": .string(film.director.name),
        ]
        if let day { credit["releaseDate"] = .string(day) }
        return .object(credit)
    }

    /// Films come before followers: nobody is notified of films that were out before.
    package static func writes(_ cast: DemoCast) -> [JSONValue] {
        let directors = cast.directors.map { put($0.path, ["name": .string($0.name)]) }
        let films = (cast.films + cast.premieres).map { film in
            put(
                "products/\(film.product.id)",
                ["title": .string(film.title), "year": year(film), "director": .string(film.director.name)])
        }
        let credits = cast.films.map { put($0.creditPath, credit($0)) }
        let follows = DemoCast.follows.map { put("users/\($0.1)/followers/\($0.0)", [:]) }
        let fans = DemoCast.fans.flatMap { fan, directors in
            directors.map { put("people/\($0)/followers/\(fan)", [:]) }
        }
        let people = cast.people.map { person in
            put(
                "users/\(person.id.text)",
                ["name": .string(person.name), "about": .string(DemoCast.about[person.id.text] ?? "")])
        }
        let series = DemoCast.series.map {
            put($0.path, ["title": .string($0.title), "seasons": .integer($0.seasons)])
        }
        let viewers = DemoCast.viewers.flatMap { viewer, series in
            series.map { put("series/\($0)/followers/\(viewer)", [:]) }
        }
        return people + directors + films + credits + series + opinions(cast) + follows + fans + viewers
    }

    /// Reviews, and the ratings that say who has watched a film. They are older than the story.
    private static func opinions(_ cast: DemoCast) -> [JSONValue] {
        DemoCast.opinions.flatMap { (row: DemoCast.Opinion) -> [JSONValue] in
            guard let film = cast.films.first(where: { $0.product.id == "movie/\(row.film)" }) else { return [] }
            let id = "\(row.author).\(film.product.id.replacing("/", with: "-"))"
            let rating: JSONValue = [
                "author": .string(row.author), "rating": .number(row.rating), "at": .string(row.at),
                "product": ["id": .string(film.product.id), "title": .string(film.title), "year": year(film)],
            ]
            var review = rating
            review["text"] = .string(row.text)
            return [put("ratings/\(id)", rating), put("reviews/\(id)", review)]
        }
    }

    private static func put(_ path: String, _ data: JSONValue) -> JSONValue { DemoLife.Write.put(path, data).json }

    private static func year(_ film: DemoFilm) -> JSONValue {
        film.product.year.map { .integer(Int64($0)) } ?? .null
    }
}
