import JSON
import Model

/// The documents of the demo before the story begins. Writing them again changes nothing.
enum DemoSeed {
    /// The document that names a film's director.
    ///
    /// - Parameter day: When it comes out; nil for an old film, which is no news.
    static func credit(_ film: DemoFilm, on day: String? = nil) -> JSONValue {
        var credit: JSONObject = [
            "title": .string(film.title), "year": year(film), "job": "Director",
            "director": .string(film.director.name),
        ]
        if let day { credit["releaseDate"] = .string(day) }
        return .object(credit)
    }

    /// Films come before followers: nobody is notified of films that were out before.
    static func writes(_ cast: DemoCast) -> [JSONValue] {
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
        let people = cast.people.map { put("users/\($0.id.text)", ["name": .string($0.name)]) }
        return people + directors + films + credits + follows + fans
    }

    private static func put(_ path: String, _ data: JSONValue) -> JSONValue {
        ["op": "put", "path": .string(path), "data": data]
    }

    private static func year(_ film: DemoFilm) -> JSONValue {
        film.product.year.map { .integer(Int64($0)) } ?? .null
    }
}
