import Model
import Testing

struct EnglishPluralTests {
    @Test(arguments: [
        "branch branches", "city cities", "movie movies", "bus buses", "match matches", "series series",
        "class classes", "house houses", "hero heroes", "shelf shelves", "person people", "child children",
        "station stations", "user users", "product products", "topic topics", "company companies", "country countries",
        "day days", "survey surveys", "box boxes", "tax taxes", "dish dishes", "quiz quizzes", "prize prizes",
        "size sizes", "address addresses", "virus viruses", "status statuses", "lens lenses", "license licenses",
        "course courses", "database databases", "exercise exercises", "cause causes", "photo photos", "radio radios",
        "shoe shoes", "potato potatoes", "wolf wolves", "knife knives", "leaf leaves", "cave caves", "drive drives",
        "roof roofs", "cache caches", "avalanche avalanches", "stomach stomachs", "man men", "woman women",
        "mouse mice", "species species", "news news", "menu menus", "taxi taxis", "gas gases", "cookie cookies",
        "analysis analyses", "name names", "league leagues", "slope slopes", "crevasse crevasses",
    ])
    func `a noun and its plural name each other`(words: String) {
        let parts = words.split(separator: " ").map(String.init)
        #expect(EnglishPlural.plural(of: parts[0]) == parts[1])
        #expect(EnglishPlural.noun(ofPlural: parts[1]) == parts[0])
    }

    @Test(arguments: [
        "class", "status", "bus", "tennis", "citys", "boxs", "branchs", "kaninchen", "s", "", "ss", "Städte",
    ])
    func `a word that is not a known plural has no singular`(name: String) {
        #expect(EnglishPlural.noun(ofPlural: name) == nil)
    }
}
