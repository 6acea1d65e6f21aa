import Model
import Testing
import Triggers

@Suite struct PathPatternTests {
    @Test(
        arguments: [
            ("people/{person}/credits/{product}", "people/525/credits/movie/603", ["525", "movie/603"]),
            ("people/{person}/credits/{product}", "people/525/credits/9", ["525", "9"]),
            ("people/{person}/credits/{product}", "people/525", nil),
            ("people/{person}/credits/{product}", "people/525/followers/alice", nil),
            ("people/525/credits/{product}", "people/525/credits/tv/1399", ["tv/1399"]),
            ("people/525/credits/{product}", "people/526/credits/tv/1399", nil),
            ("people/{p}/credits/movie/603", "people/1/credits/movie/603", ["1"]),
            ("people/{p}/credits/movie/603", "people/1/credits/tv/603", nil),
            ("products/{id}", "products/movie/603", ["movie/603"]), ("products/{id}", "products/movie", ["movie"]),
            ("products/{id}", "series/1", nil), ("a/x", "a/x", []), ("a/x", "a/y", nil), ("a/{_x1}", "a/b", ["b"]),
            (
                "a/{a}/b/{b}/c/{c}/d/{d}/e/{e}/f/{f}/g/{g}/h/{h}", "a/1/b/2/c/3/d/4/e/5/f/6/g/7/h/8",
                (1...8).map(String.init)
            ),
        ] as [(String, String, [String]?)]
    )
    func `a pattern takes whole ids`(pattern: String, path: String, expected: [String]?) throws {
        #expect(try PathPattern(pattern).match(DocumentPath(path)) == expected)
    }

    @Test(
        arguments: [
            ("", nil), ("people", 1), ("people/{person}/credits", 17), ("/people/{a}", 1), ("people/{a}/", 12),
            ("people//x", 8), ("{a}/x", 1), ("people/{a}/{b}/x", 12), ("people/x{a}", 8), ("people/{a", 8),
            ("people/{}", 8),
            ("people/{1a}", 8), ("people/{a-b}", 8), ("people/{ä}", 8), ("people/{a}/credits/{a}", 20),
            ("a/{B}/c/{b}", 9),
            ("people/{before}", 8), ("people/{After}", 8), ("people/{now}", 8), ("products/movie/{n}", 10),
            ("people/{{a}}", 8),
            ("pe ople/{a}", nil), ("a/b/a/b/a/b/a/b/a/b/a/b/a/b/a/b/a/b", nil), ("a/..", nil), ("a/b\u{0}", nil),
        ] as [(String, Int?)]
    )
    func `a text that is not a pattern is refused with its place`(text: String, character: Int?) {
        let problem = #expect(throws: PatternProblem.self) { try PathPattern(text) }
        #expect(problem?.character == character)
    }
}
