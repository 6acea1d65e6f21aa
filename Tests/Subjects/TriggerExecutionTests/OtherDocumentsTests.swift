import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Store
import Testing

/// `with`: a row reads other documents that its path or its document names.
struct OtherDocumentsTests {
    private static func row(_ columns: JSONObject = [:]) -> JSONValue {
        var row: JSONObject = [
            "name": "review", "event": "create", "path": "reviews/{review}", "audience": "user:alice",
            "with": ["who": "users/{after.author}", "film": "films/{after.film}"],
            "title": "{{who.name}}{{^who.name}}{{after.author}}{{/who.name}} about {{film.title}}",
            "body": "{{after.text}}",
        ]
        for (name, value) in columns.members { row[name] = value }
        return .object(row)
    }

    private static func titles(_ house: House) throws -> [String] {
        let listed = try house.notifications("alice")["notifications"]?.arrayValue ?? []
        return listed.compactMap { $0["title"]?.stringValue }
    }

    @Test func `a title says the name that another document has, else the id`() throws {
        let house = try House(triggers: [Self.row()])
        _ = try house.connect("alice")
        try house.put("users/luca", ["name": "Luca Bianchi"])
        try house.put("films/1", ["title": "Arrival"])
        try house.put("reviews/1", ["author": "luca", "film": "1", "text": "!"])
        try house.put("reviews/2", ["author": "ben", "film": "2", "text": "!"])
        // A missing field, and one that makes no valid path, do not prevent the notification.
        try house.put("reviews/3", ["author": "ben/", "text": "!"])
        #expect(try Self.titles(house) == ["ben/ about", "ben about", "Luca Bianchi about Arrival"])
    }

    @Test func `an expression reads them as they are in the transaction of the write`() throws {
        let house = try House(triggers: [
            Self.row(["condition": "film ->> 'year' > 2000 AND who IS NULL", "title": "{{film.title}}"])
        ])
        _ = try house.connect("alice")
        try house.put("films/1", ["title": "Alien", "year": 1979])
        try house.put("films/2", ["title": "Arrival", "year": 2016])
        for (number, film) in ["1", "2", "3"].enumerated() {
            try house.put("reviews/\(number)", ["author": "luca", "film": .string(film)])
        }
        try house.put("users/luca", ["name": "Luca"])
        try house.put("reviews/9", ["author": "luca", "film": "2"])
        #expect(try Self.titles(house) == ["Arrival"])
    }

    @Test func `a document that was deleted is not there`() throws {
        let house = try House(triggers: [Self.row(["title": "{{who.name}}{{^who.name}}nobody{{/who.name}}"])])
        _ = try house.connect("alice")
        try house.put("users/luca", ["name": "Luca"])
        try house.put("reviews/1", ["author": "luca"])
        try house.delete("users/luca")
        try house.put("reviews/2", ["author": "luca"])
        #expect(try Self.titles(house) == ["nobody", "Luca"])
    }
}
