import Configuration
import JSON
import Testing

/// `deploy/apps/film-network.json` from the command or document to the phones: the three notifications of the network,
/// and its feed.
struct FilmNetworkLifeTests {
    private func stage() throws -> (stage: ApplicationStage, phone: Device, laptop: Device) {
        let stage = try ApplicationStage(.filmNetwork)
        let phone = try stage.device("giulia", "it-CH")
        let laptop = try stage.device("giulia", "it", on: "laptop")
        try stage.leave("ben", "en")
        return (stage, phone, laptop)
    }

    /// Expects that every device of Giulia has got exactly this.
    private func expect(_ devices: [Device], _ level: String, _ title: String, _ body: String) throws {
        for device in devices {
            let events = try device.notifications()
            #expect(events.texts("level") == [level])
            #expect(events.texts("title") == [title])
            #expect(events.texts("body") == [body])
        }
    }

    @Test func `a followed user is notified of a new follower once, however often that one follows`() throws {
        let (stage, phone, laptop) = try stage()
        let luca = try stage.device("luca", "it")
        try luca.ok(["type": "follow", "topic": "user:giulia", "key": "f1"])
        try luca.ok(["type": "follow", "topic": "user:giulia", "key": "f1"])
        try luca.ok(["type": "follow", "topic": "user:ben", "key": "f2"])
        try expect([phone, laptop], "active", "Nuovo follower", "luca ha iniziato a seguirti.")
        let later = try stage.inbox("ben", "en")
        #expect(later.texts("title") == ["New follower"])
        #expect(later.texts("body") == ["luca started following you."])
        #expect(later.first?["data"]?["user"] == "luca")
    }

    @Test func `a recommendation notifies its receiver, with its note, and leads into the chat`() throws {
        let (stage, phone, laptop) = try stage()
        let luca = try stage.device("luca", "it")
        for name in ["giulia", "ben"] {
            try stage.put("users/\(name)/followers/luca", [:])
            try luca.ok([
                "type": "recommend", "to": .string(name), "key": .string(name), "note": "Il finale!",
                "product": ["id": "movie/329865", "title": "Arrival", "year": 2016],
            ])
        }
        for device in [phone, laptop] {
            let event = try device.event("notification") { $0["kind"] == "recommendation" }
            #expect(event["title"] == "luca ti consiglia Arrival")
            #expect(event["body"] == "Il finale!")
            #expect(event["level"] == "active")
            #expect(event["data"] == ["recommendation": "giulia:luca-1", "from": "luca", "product": "movie/329865"])
            #expect(try device.notifications().count { $0["kind"] == "recommendation" } == 1)
        }
        #expect(try stage.inbox("ben", "en").texts("title").first == "luca recommends Arrival")
    }

    @Test func `a followed director's film notifies at nine on the day of its release, not when it is announced`()
        throws
    {
        let (stage, phone, laptop) = try stage()
        try stage.put("people/137427", ["name": "Denis Villeneuve"])
        try stage.follow("people/137427", by: "giulia", "ben")
        let credit: JSONValue = [
            "job": "Director", "title": "Dune: Part Three", "releaseDate": "2027-12-18", "director": "Denis Villeneuve",
        ]
        try stage.put("people/137427/credits/movie/1170608", credit)
        try stage.setClock("2027-12-18T08:59:00Z")
        try stage.settleSchedules()
        #expect(try phone.notifications().isEmpty)
        try stage.setClock("2027-12-18T09:00:01Z")
        try phone.event("notification")
        try laptop.event("notification")
        try expect(
            [phone, laptop], "active", "Nuova uscita: Dune: Part Three", "È uscito, e alla regia c'è Denis Villeneuve.")
        let later = try stage.inbox("ben", "en")
        #expect(later.texts("title") == ["New release: Dune: Part Three"])
        #expect(later.texts("body") == ["Out now, directed by Denis Villeneuve."])
    }

    @Test func `the feed is passive: reviews by those one follows, new seasons of series one follows`() throws {
        let (stage, phone, _) = try stage()
        try stage.put("series/tv/95396", ["title": "Severance", "seasons": 2])
        try stage.follow("series/tv/95396", by: "giulia", "ben")
        try stage.follow("users/luca", by: "giulia", "ben")
        try stage.patch("series/tv/95396", ["seasons": 3])
        try stage.put(
            "reviews/r1",
            [
                "author": "luca", "authorName": "Luca", "rating": 4.5, "text": "Nessuno respira.",
                "product": ["id": "movie/329865", "title": "Arrival"],
            ])
        let events = try phone.notifications()
        #expect(events.texts("level") == ["passive", "passive"])
        #expect(events.texts("title") == ["Severance: nuova stagione", "Luca ha scritto una recensione"])
        #expect(events.last?["body"]?.stringValue?.contains("Arrival") == true)
        #expect(
            try stage.inbox("ben", "en").texts("title") == ["Luca wrote a review", "Severance: new season"])
    }
}
