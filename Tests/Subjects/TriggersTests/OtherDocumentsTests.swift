import JSON
import Model
import Testing
import Triggers

/// The paths of the documents that a row reads beside its own.
struct OtherDocumentsTests {
    @Test(
        arguments: [
            (["film": "1"], "films/1"), (["film": 42], "films/42"), (["film": "a.b"], "films/a.b"),
            // The author of the document chooses a film, and nothing below it or elsewhere.
            (["film": "1/private/contract"], nil), (["film": "1/"], nil), (["film": "../users/bob"], nil),
            (["film": ""], nil),
            (["film": [:]], nil), ([:], nil),
        ] as [(JSONValue, String?)])
    func `a value is one segment of a path`(after: JSONValue, path: String?) throws {
        #expect(try Self.path("films/{after.film}", after: after) == path)
    }

    @Test func `a part of the path after a value stays there`() throws {
        #expect(try Self.path("x/{after.a}/y/{after.b}", after: ["a": "1", "b": "2"]) == "x/1/y/2")
        #expect(try Self.path("x/{after.a}/y/{after.b}", after: ["a": "1/y/3/z", "b": "2"]) == nil)
    }

    @Test func `the id of a product is one part`() throws {
        #expect(try Self.path("films/{product}", after: [:]) == "films/movie/603")
        #expect(try Self.path("films/{after.film}", after: ["film": "movie/603"]) == "films/movie/603")
        #expect(try Self.path("films/{after.film}", after: ["film": "movie/603/a/b"]) == nil)
    }

    private static func path(_ text: String, after: JSONValue) throws -> String? {
        let definition = try TriggerDefinition(json: row(("with", ["it": .string(text)])))
        let change = DocumentChange(
            path: try DocumentPath("people/525/credits/movie/603"), event: .create, before: nil, after: after)
        return definition.with.paths(for: change, of: definition.path).first??.text
    }
}
