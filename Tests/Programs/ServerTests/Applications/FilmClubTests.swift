import JSON
import TestSupport
import Testing

/// A film club with a configuration of its own, `Tests/Applications/film-club.json`: releases by region, reviews, screenings with guests,
/// and chats about recommendations.
struct FilmClubTests {
    private static func stage(at start: String = "2027-01-15T10:00:00Z") throws -> ApplicationStage {
        let stage = try ApplicationStage(configured: "film-club", at: start)
        for (user, name) in [("luca", "Luca"), ("giulia", "Giulia"), ("ola", "Ola")] {
            try stage.put("users/\(user)", ["name": .string(name)])
        }
        return stage
    }

    private static func put(_ device: Device, _ path: String, _ data: JSONValue, _ key: String) throws -> JSONValue {
        try device.ok(["type": "put", "path": .string(path), "data": data, "key": .string(key)])
    }

    private static func release(_ day: String, cinemas: Int64) -> JSONValue {
        ["film": "1170608", "title": "Dune", "day": .string(day), "cinemas": .integer(cinemas)]
    }

    private static func move(_ stage: ApplicationStage, to text: String) throws {
        try stage.setClock(text)
        try stage.settleSchedules()
    }

    @Test func `a film with a day in each region rings at three by each reader's clock, and once for both regions`()
        throws
    {
        let stage = try Self.stage()
        let giulia = try stage.device("giulia", "it")
        let (chuck, ola) = (try stage.device("chuck", "en"), try stage.device("ola", "pl"))
        try chuck.ok(["type": "preferences", "set": ["timeZone": "America/Chicago"]])
        for (device, regions) in [(giulia, ["IT"]), (chuck, ["US"]), (ola, ["IT", "US"])] {
            for region in regions { try device.ok(["type": "follow", "topic": .string("release:\(region)-1170608")]) }
        }
        try stage.put("releases/IT-1170608", Self.release("2027-01-20", cinemas: 1))
        try stage.put("releases/US-1170608", Self.release("2027-01-20", cinemas: 2500))
        // Three o'clock in Rome: not yet in Chicago.
        try Self.move(stage, to: "2027-01-20T14:00:00Z")
        #expect(try giulia.notifications().texts("body") == ["In un cinema"])
        #expect(try ola.notifications().count == 1)
        #expect(try chuck.notifications().isEmpty)
        try Self.move(stage, to: "2027-01-20T21:00:00Z")
        #expect(try chuck.notifications().texts("body") == ["In 2,500 cinemas"])
        #expect(try ola.inbox().count == 1)
    }

    @Test func `a release that is moved rings on its new day alone, and one that is taken back never`() throws {
        let stage = try Self.stage()
        let giulia = try stage.device("giulia", "it")
        for film in ["IT-1", "IT-2"] { try giulia.ok(["type": "follow", "topic": .string("release:\(film)")]) }
        for (film, id) in [("IT-1", "1"), ("IT-2", "2")] {
            try stage.put(
                "releases/\(film)", ["film": .string(id), "title": .string(film), "day": "2027-01-20", "cinemas": 3])
        }
        try stage.patch("releases/IT-1", ["day": "2027-01-22"])
        try stage.delete("releases/IT-2")
        try Self.move(stage, to: "2027-01-20T15:00:00Z")
        #expect(try giulia.notifications().isEmpty)
        try Self.move(stage, to: "2027-01-22T14:00:00Z")
        #expect(try giulia.notifications().texts("title") == ["IT-1 è al cinema"])
        #expect(try giulia.notifications().texts("body") == ["In 3 cinema"])
    }

    @Test func `a review that its author corrects has the new words in its readers' feeds, without a second entry`()
        throws
    {
        let stage = try Self.stage()
        let (luca, giulia) = (try stage.device("luca", "it"), try stage.device("giulia", "it"))
        for device in [giulia, try stage.device("ola", "pl")] {
            try device.ok(["type": "follow", "topic": "user:luca"])
        }
        let review: JSONValue = ["author": "luca", "title": "Arrival", "rating": 4.5, "text": "SECRET"]
        _ = try Self.put(luca, "reviews/1", review, "k1")
        #expect(try giulia.notifications().texts("body") == ["4,5 su 5 · SECRET"])
        try luca.ok(["type": "patch", "path": "reviews/1", "data": ["text": "Nessuno respira."], "key": "k2"])
        #expect(try giulia.inbox().texts("body") == ["4,5 su 5 · Nessuno respira."])
        #expect(try giulia.notifications().count == 1)
        // A device that was away meanwhile has never seen the old words.
        let later = try stage.inbox("ola", "pl")
        #expect(later.texts("title") == ["Luca: Arrival"] && later.texts("body") == ["4,5 na 5 · Nessuno respira."])
        // A moderator takes it away, and it is gone from every feed.
        try stage.put("roles/moderator/users/ola", [:])
        let moderator = try stage.device("ola", "pl", on: "desk")
        try moderator.ok(["type": "remove", "path": "reviews/1", "key": "k3"])
        #expect(try giulia.inbox().isEmpty)
    }

    @Test func `a message that is edited has its new words in the notification, and a deleted one leaves none`() throws
    {
        let stage = try Self.stage()
        let (luca, giulia) = (try stage.device("luca", "it"), try stage.device("giulia", "it"))
        try luca.ok(["type": "follow", "topic": "user:giulia"])
        let sent = try luca.ok(["type": "send", "to": "giulia", "text": "SECRET", "key": "m1"])
        let chat = try #require(sent["chat"])
        #expect(try giulia.notifications().texts("title") == ["Luca scrive"])
        try luca.ok(["type": "edit", "chat": chat, "n": 1, "text": "Il finale!"])
        #expect(try giulia.inbox().texts("body") == ["Il finale!"])
        #expect(try stage.inbox("giulia", "it").texts("body") == ["Il finale!"])
        try luca.ok(["type": "delete", "chat": chat, "n": 1])
        #expect(try !giulia.inbox().texts("body").contains("Il finale!"))
    }

    @Test func `a screening invites its guests but those who block the host, warns of a missing one, and reminds`()
        throws
    {
        let stage = try Self.stage()
        let luca = try stage.device("luca", "it")
        let (giulia, ola) = (try stage.device("giulia", "it"), try stage.device("ola", "pl"))
        func screening(_ guests: [JSONValue]) -> JSONValue {
            [
                "host": "luca", "title": "Alien", "begins": "2027-01-15T20:00:00Z", "guest1": guests[0],
                "guest2": guests[1],
            ]
        }
        let alone = try Self.put(luca, "screenings/1", screening(["giulia", .null]), "k1")
        #expect(alone["warnings"]?.arrayValue?.isEmpty == false, "\(alone.text)")
        #expect(try giulia.notifications().texts("title") == ["Luca ti invita: Alien"])
        // Between two people a block holds: the club is no institution.
        try ola.ok(["type": "block", "user": "luca"])
        _ = try Self.put(luca, "screenings/2", screening(["giulia", "ola"]), "k2")
        #expect(try ola.notifications().isEmpty)
        #expect(try giulia.notifications().count == 2)
        // One begins later, and the other is called off.
        try luca.ok(["type": "patch", "path": "screenings/1", "data": ["begins": "2027-01-15T21:00:00Z"], "key": "k3"])
        try luca.ok(["type": "remove", "path": "screenings/2", "key": "k4"])
        try Self.move(stage, to: "2027-01-15T18:00:00Z")
        #expect(try giulia.notifications().count == 2)
        try Self.move(stage, to: "2027-01-15T19:00:00Z")
        #expect(try giulia.notifications().texts("title").last == "Fra due ore: Alien")
        #expect(try giulia.notifications().count == 3 && ola.notifications().isEmpty)
        #expect(try ola.refused(["type": "get", "path": "screenings/1"])["code"] == "not-found")
    }
}
