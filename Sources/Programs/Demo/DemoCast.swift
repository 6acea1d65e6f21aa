package import Model

/// A person of the demo.
package struct DemoPerson {
    package let id: UserID
    package let name: String
    package let locale: LanguageTag
    /// False for the two people that somebody plays on the page.
    package let isBot: Bool

    package var isItalian: Bool { locale.text.hasPrefix("it") }
    package var language: String {
        switch locale.text.prefix(2) {
        case "it": "Italian"
        case "pl": "Polish"
        case "el": "Greek"
        default: "English"
        }
    }

    /// - Parameter id: Also the name, in small letters.
    package init?(_ id: String, _ locale: String, isBot: Bool = true) {
        guard let user = UserID(id), let tag = LanguageTag(locale) else { return nil }
        self.id = user
        self.locale = tag
        self.isBot = isBot
        name = id.prefix(1).uppercased() + id.dropFirst()
    }
}

/// A film that exists, with its number at The Movie Database.
package struct DemoFilm {
    package let product: Product
    package let title: String
    package let director: DemoDirector

    /// `Arrival (2016)`
    package var shown: String { product.year.map { "\(title) (\($0))" } ?? title }
    /// The document that names its director.
    package var creditPath: String { "\(director.path)/credits/\(product.id)" }
}

/// The director of a film, with the number at The Movie Database.
package struct DemoDirector {
    package let number: Int
    package let name: String

    package var path: String { "people/\(number)" }
}

/// A series that exists, with its number at The Movie Database.
package struct DemoSeries {
    package let number: Int
    package let title: String
    /// How many there are when the story begins.
    package let seasons: Int64

    package var path: String { "series/\(number)" }
}

/// The people and films of the demo.
package struct DemoCast {
    package let people: [DemoPerson]
    /// Films that are out when the story begins.
    package let films: [DemoFilm]
    /// Films that come out during the story.
    package let premieres: [DemoFilm]

    package var bots: [DemoPerson] { people.filter(\.isBot) }
    package var players: [DemoPerson] { people.filter { !$0.isBot } }
    package var directors: [DemoDirector] {
        var seen: Set<Int> = []
        return (films + premieres).map(\.director).filter { seen.insert($0.number).inserted }
    }

    /// The person of that name in small letters; nil when nobody has it.
    package func person(_ id: String) -> DemoPerson? { people.first { $0.id.text == id } }

    package init() {
        people = Self.names.compactMap { id, locale in
            DemoPerson(id, locale, isBot: !["anna", "marco"].contains(id))
        }
        films = Self.library.compactMap(Self.film)
        premieres = Self.comingOut.compactMap(Self.film)
    }

    /// Follows at the beginning: the follower is first.
    package static let follows: [(String, String)] =
        ["anna", "marco"].flatMap { player in
            names.map(\.0).filter { $0 != player }.map { (player, $0) }
        } + [
            ("sofia", "anna"), ("ben", "anna"), ("giulia", "marco"), ("luca", "marco"), ("giulia", "ben"),
            ("ben", "giulia"), ("luca", "sofia"), ("sofia", "nora"), ("nora", "tom"), ("tom", "luca"),
            ("nora", "giulia"), ("tom", "ben"), ("sofia", "luca"),
        ]

    /// The directors that each person follows.
    package static let fans: [(String, [Int])] = [
        ("anna", [137_427, 45400, 5655]), ("marco", [137_427, 525, 608]), ("giulia", [45400, 608, 5655]),
        ("luca", [137_427, 525, 1032]), ("sofia", [1769, 21684, 7467]), ("ben", [137_427, 1032, 578]),
        ("nora", [45400, 608, 5655]), ("tom", [525, 7467, 21684]),
    ]

    /// The lines of the profiles.
    package static let about = [
        "anna": "Front row, left aisle.", "marco": "Cinema all’aperto, anche d’inverno.",
        "giulia": "Piango ai titoli di testa.", "luca": "Solo versioni originali.", "sofia": "Montatrice per gioco.",
        "ben": "I stay for the credits.", "nora": "One film a day.", "tom": "Popcorn is a meal.",
    ]

    /// In the order in which new seasons come out.
    package static let series = [
        DemoSeries(number: 95396, title: "Severance", seasons: 2),
        DemoSeries(number: 136_315, title: "The Bear", seasons: 4),
        DemoSeries(number: 70523, title: "Dark", seasons: 3),
        DemoSeries(number: 60622, title: "Fargo", seasons: 5),
    ]

    /// The series that each person follows.
    package static let viewers: [(String, [Int])] = [
        ("anna", [95396]), ("marco", [70523, 60622]), ("nora", [136_315]),
    ]

    package typealias Opinion = (author: String, film: Int, rating: Double, at: String, text: String)

    /// Reviews before the beginning.
    package static let opinions: [Opinion] = [
        ("nora", 391_713, 4.5, "2026-11-18T20:15:00Z", "The best quarrel in a car since cars."),
        ("sofia", 153, 4, "2026-11-19T21:40:00Z", "Tokyo non dorme, e nemmeno io."),
        ("tom", 807, 3.5, "2026-11-20T19:05:00Z", "It rains even when it does not."),
        ("giulia", 129, 5, "2026-11-21T18:30:00Z", "Da vedere prima di ogni viaggio in treno."),
    ]

    private static let names = [
        ("anna", "en"), ("marco", "it"), ("giulia", "it"), ("luca", "it"), ("sofia", "it"), ("ben", "en"),
        ("nora", "en"), ("tom", "en"),
    ]

    private typealias Row = (number: Int, title: String, year: Int, director: Int)

    private static func film(_ row: Row) -> DemoFilm? {
        guard let product = Product(id: "movie/\(row.number)", title: row.title, year: row.year),
            let director = directing[row.director]
        else { return nil }
        return DemoFilm(
            product: product, title: row.title, director: DemoDirector(number: row.director, name: director))
    }

    private static let directing = [
        137_427: "Denis Villeneuve", 525: "Christopher Nolan", 45400: "Greta Gerwig", 608: "Hayao Miyazaki",
        5655: "Wes Anderson", 1769: "Sofia Coppola", 21684: "Bong Joon-ho", 7467: "David Fincher",
        1032: "Martin Scorsese", 578: "Ridley Scott", 240: "Stanley Kubrick", 2636: "Alfred Hitchcock",
        138: "Quentin Tarantino",
    ]

    private static let library: [Row] = [
        (329_865, "Arrival", 2016, 137_427), (335_984, "Blade Runner 2049", 2017, 137_427),
        (27205, "Inception", 2010, 525), (157_336, "Interstellar", 2014, 525), (77, "Memento", 2000, 525),
        (391_713, "Lady Bird", 2017, 45400), (129, "Spirited Away", 2001, 608),
        (120_467, "The Grand Budapest Hotel", 2014, 5655), (153, "Lost in Translation", 2003, 1769),
        (496_243, "Parasite", 2019, 21684), (807, "Se7en", 1995, 7467), (1949, "Zodiac", 2007, 7467),
        (103, "Taxi Driver", 1976, 1032), (348, "Alien", 1979, 578), (78, "Blade Runner", 1982, 578),
        (694, "The Shining", 1980, 240), (539, "Psycho", 1960, 2636), (680, "Pulp Fiction", 1994, 138),
    ]

    private static let comingOut: [Row] = [
        (693_134, "Dune: Part Two", 2024, 137_427), (872_585, "Oppenheimer", 2023, 525),
        (346_698, "Barbie", 2023, 45400), (508_883, "The Boy and the Heron", 2023, 608),
        (466_420, "Killers of the Flower Moon", 2023, 1032), (747_188, "Asteroid City", 2023, 5655),
    ]
}
