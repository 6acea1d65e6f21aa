import Configuration
import JSON
import Testing

/// Users of `deploy/apps/film-network.json` write their reviews, ratings, lists and episodes themselves.
struct FilmNetworkWritersTests {
    private static func put(_ device: Device, _ path: String, _ data: JSONValue, _ key: String) throws -> JSONValue {
        try device.ok(["type": "put", "path": .string(path), "data": data, "key": .string(key)])
    }

    private static func refusedField(_ device: Device, _ command: JSONValue) throws -> JSONValue? {
        let error = try device.refused(command)
        #expect(error["code"] == "forbidden")
        return error["field"]
    }

    @Test func `a user's review reaches the user's followers, and nobody else writes in that name`() throws {
        let stage = try ApplicationStage(.filmNetwork)
        let (luca, giulia) = (try stage.device("luca", "it"), try stage.device("giulia", "it-CH"))
        try stage.follow("users/luca", by: "giulia")
        let review: JSONValue = ["author": "luca", "rating": 4.5, "text": "Nessuno respira."]
        #expect(try giulia.ok(["type": "watch", "path": "reviews"])["documents"] == [])
        let forged: JSONValue = ["type": "put", "path": "reviews/r1", "data": review, "key": "k1"]
        #expect(try Self.refusedField(giulia, forged) == "data.author")
        #expect(try giulia.notifications().isEmpty)
        _ = try Self.put(luca, "reviews/r1", review, "k1")
        #expect(try giulia.event("document")["data"] == review)
        #expect(try giulia.event("notification")["title"] == "luca ha scritto una recensione")
        for command: JSONValue in [
            ["type": "patch", "path": "reviews/r1", "data": ["rating": 0.5], "key": "k2"],
            ["type": "put", "path": "reviews/r1", "data": ["author": "giulia"], "key": "k3"],
            ["type": "remove", "path": "reviews/r1", "key": "k4"],
        ] {
            #expect(try Self.refusedField(giulia, command) == "path")
        }
        let gift: JSONValue = ["type": "patch", "path": "reviews/r1", "data": ["author": "giulia"], "key": "k5"]
        #expect(try Self.refusedField(luca, gift) == "data.author")
        try stage.put("roles/moderator/users/giulia", [:])
        #expect(try giulia.ok(["type": "remove", "path": "reviews/r1", "key": "k6"])["version"] == 2)
    }

    @Test func `ratings, lists and episodes are their writers' own`() throws {
        let stage = try ApplicationStage(.filmNetwork)
        let (luca, giulia) = (try stage.device("luca", "it"), try stage.device("giulia", "en"))
        _ = try Self.put(luca, "ratings/r1", ["author": "luca", "product": "movie/329865", "stars": 4.5], "a")
        #expect(try giulia.ok(["type": "get", "path": "ratings/r1"])["data"]?["stars"] == 4.5)
        let rate: JSONValue = ["type": "patch", "path": "ratings/r1", "data": ["stars": 1], "key": "b"]
        #expect(try Self.refusedField(giulia, rate) == "path")
        _ = try Self.put(luca, "lists/l1", ["author": "luca", "members": ["giulia"], "films": []], "c")
        let film: JSONValue = ["type": "patch", "path": "lists/l1", "data": ["films": ["movie/78"]], "key": "d"]
        #expect(try giulia.ok(film)["data"]?["films"] == ["movie/78"])
        let take: JSONValue = ["type": "patch", "path": "lists/l1", "data": ["author": "giulia"], "key": "e"]
        #expect(try Self.refusedField(giulia, take) == "data.author")
        let episodes: JSONValue = "users/luca/episodes"
        _ = try Self.put(luca, "users/luca/episodes/tv/95396", ["watched": ["1x1", "1x2"]], "f")
        #expect(try luca.ok(["type": "watch", "path": episodes])["documents"]?.arrayValue?.count == 1)
        #expect(try giulia.refused(["type": "watch", "path": episodes])["code"] == "not-found")
    }
}
