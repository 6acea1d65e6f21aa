import Foundation
import JSON
import TestSupport
import Testing

/// Live football with a configuration of its own, `Tests/Applications/football.json`: matches, kick-offs, goals,
/// corrections and results for fans of two teams and a match, in three languages and three time zones.
struct FootballTests {
    /// A stage with two teams, and three fans; each follows the derby in another way.
    private struct Ground {
        let stage: ApplicationStage
        /// Follows both teams and the match: Italian, Rome.
        let giulia: Device
        /// Follows the guests: Polish, New York.
        let adam: Device
        /// Follows the match: English, Tokyo.
        let emma: Device
        var fans: [Device] { [giulia, adam, emma] }

        init(at start: String) throws {
            stage = try ApplicationStage(configured: "football", at: start)
            try stage.put("teams/lions", ["name": "Lions"])
            try stage.put("teams/tigers", ["name": "Tigers"])
            giulia = try stage.device("giulia", "it")
            adam = try stage.device("adam", "pl")
            emma = try stage.device("emma", "en")
            for (fan, zone) in [(giulia, "Europe/Rome"), (adam, "America/New_York"), (emma, "Asia/Tokyo")] {
                try fan.ok(["type": "preferences", "set": ["timeZone": .string(zone)]])
            }
            for topic in ["team:lions", "team:tigers", "match:derby"] {
                try giulia.ok(["type": "follow", "topic": .string(topic)])
            }
            try stage.follow("teams/tigers", by: "adam")
            try stage.follow("matches/derby", by: "emma")
        }

        /// Puts the derby, whose kick-off is a local time in Rome.
        func put(kickoff: String, status: String = "scheduled") throws {
            try stage.put(
                "matches/derby",
                [
                    "home": "lions", "away": "tigers", "kickoff": .string(kickoff), "zone": "Europe/Rome",
                    "status": .string(status), "score": "0:0",
                ])
        }

        func goal(_ id: String, _ score: String, by scorer: String, minute: Int64) throws {
            try stage.put(
                "goals/\(id)",
                [
                    "match": "derby", "home": "lions", "away": "tigers", "score": .string(score),
                    "scorer": .string(scorer), "minute": .integer(minute),
                ])
        }

        func move(to text: String) throws {
            try stage.setClock(text)
            try stage.settleSchedules()
        }

        /// How many notifications of a kind each fan has got.
        func heard(_ kind: String) throws -> [Int] {
            try fans.map { try $0.notifications().count { $0["kind"]?.stringValue == kind } }
        }

        /// How many each fan has not seen: in the list, and in the device's last counts. After a removal from a topic,
        /// a reader counts again, and the device gets the count a moment later.
        func unread() throws -> [Int64?] {
            try fans.map { fan in
                let list = try fan.ok(["type": "notifications"])
                func told() -> JSONValue? { fan.messages.last { $0["type"] == "unread" }?["notifications"] }
                for _ in 0..<1000 where told() != list["unread"] {
                    Thread.pause(milliseconds: 20)
                    try fan.settle()
                }
                #expect(told() == list["unread"])
                #expect(list["notifications"]?.arrayValue?.count == list["unread"]?.integerValue.map { Int($0) })
                return list["unread"]?.integerValue
            }
        }
    }

    @Test
    func `each fan is notified of a goal once, in the fan's language, however many of its topics the fan follows`()
        throws
    {
        let ground = try Ground(at: "2027-01-15T19:00:00Z")
        try ground.put(kickoff: "2027-01-15T19:30", status: "live")
        try ground.goal("g1", "1:0", by: "Bianchi", minute: 12)
        for (fan, title, body) in [
            (ground.giulia, "Gol! Lions – Tigers 1:0", "Bianchi, al 12° minuto."),
            (ground.adam, "Gol! Lions – Tigers 1:0", "Bianchi, 12. minuta."),
            (ground.emma, "Goal! Lions – Tigers 1:0", "Bianchi, minute 12."),
        ] {
            let events = try fan.notifications()
            #expect(events.texts("title") == [title])
            #expect(events.texts("body") == [body])
            #expect(events[0]["topics"] == ["team:lions", "team:tigers", "match:derby"])
            #expect(events[0]["alert"] == nil)
        }
        #expect(try ground.unread() == [1, 1, 1])
        try ground.goal("g2", "1:1", by: "Kowalski", minute: 40)
        #expect(try ground.heard("goal") == [2, 2, 2])
        #expect(try ground.unread() == [2, 2, 2])
        // The same goal again is no news.
        try ground.goal("g2", "1:1", by: "Kowalski", minute: 40)
        #expect(try ground.heard("goal") == [2, 2, 2])
    }

    @Test func `a corrected goal replaces the one before without a sound, and one taken back goes from everybody`()
        throws
    {
        let ground = try Ground(at: "2027-01-15T19:00:00Z")
        try ground.put(kickoff: "2027-01-15T19:30", status: "live")
        try ground.goal("g1", "1:0", by: "Bianchi", minute: 12)
        try ground.stage.patch("goals/g1", ["scorer": "Rossi"])
        for fan in ground.fans {
            let events = try fan.notifications()
            #expect(events.count == 2)
            #expect(events[1]["alert"] == false && events[1]["reason"] == "updated")
            #expect(events[1]["body"]?.stringValue?.hasPrefix("Rossi") == true)
            #expect(try fan.removals() == ["replaced"])
            #expect(fan.messages.filter { $0["type"] == "unread" }.map { $0["notifications"] }.allSatisfy { $0 == 1 })
        }
        #expect(try ground.unread() == [1, 1, 1])
        try ground.goal("g2", "2:0", by: "Bianchi", minute: 20)
        try ground.stage.patch("goals/g2", ["disallowed": true])
        for fan in ground.fans { #expect(try fan.removals() == ["replaced", "retracted"]) }
        #expect(try ground.unread() == [1, 1, 1])
        #expect(try ground.emma.inbox().texts("body") == ["Rossi, minute 12."])
        // The goal stands after all: a new notification, since the first one was removed.
        try ground.stage.patch("goals/g2", ["disallowed": false])
        #expect(try ground.heard("goal") == [4, 4, 4])
        #expect(try ground.adam.notifications().last?["alert"] == nil)
    }

    @Test func `the final whistle notifies once, and a corrected result updates it without a sound`() throws {
        let ground = try Ground(at: "2027-01-15T21:00:00Z")
        try ground.put(kickoff: "2027-01-15T19:30", status: "live")
        try ground.stage.patch("matches/derby", ["status": "final", "score": "2:1"])
        try ground.stage.patch("matches/derby", ["attendance": 31000])
        #expect(try ground.heard("final") == [1, 1, 1])
        try ground.stage.patch("matches/derby", ["score": "3:0"])
        #expect(try ground.heard("final") == [2, 2, 2])
        for fan in ground.fans { #expect(try fan.notifications().last?["reason"] == "updated") }
        #expect(try ground.giulia.inbox().texts("title") == ["Finita: Lions – Tigers 3:0"])
        #expect(try ground.adam.inbox().texts("title") == ["Koniec meczu: Lions – Tigers 3:0"])
        #expect(try ground.emma.inbox().texts("title") == ["Full time: Lions – Tigers 3:0"])
        #expect(try ground.unread() == [1, 1, 1])
    }

    @Test func `a match that is moved tells so, kicks off at its new time and not at the old one`() throws {
        let ground = try Ground(at: "2027-01-14T12:00:00Z")
        try ground.put(kickoff: "2027-01-15T20:45")
        let moved = try ground.stage.patch("matches/derby", ["kickoff": "2027-01-16T18:00"])
        let runs = moved["triggers"]?.arrayValue ?? []
        let kickoff = runs.first { $0["trigger"] == "kick-off" }
        #expect(kickoff?["scheduled"] == "2027-01-16T17:00:00.000Z")
        #expect(try ground.heard("match-moved") == [1, 1, 1])
        #expect(try ground.giulia.inbox().texts("body") == ["Nuovo inizio: 16 gennaio 2027, 18:00."])
        #expect(try ground.adam.inbox().texts("body") == ["Nowy początek: 16 stycznia 2027, 18:00."])
        #expect(try ground.emma.inbox().texts("body") == ["New kick-off: January 16, 2027, 6:00\u{a0}PM."])
        try ground.move(to: "2027-01-15T19:46:00Z")
        #expect(try ground.heard("kick-off") == [0, 0, 0])
        #expect(try ground.heard("match-day") == [0, 0, 0])
        try ground.move(to: "2027-01-16T17:00:01Z")
        #expect(try ground.heard("kick-off") == [1, 1, 1])
        #expect(try ground.heard("match-day") == [1, 1, 1])
        #expect(try ground.unread() == [3, 3, 3])
        // Postponed without a new time: the notification of the kick-off is removed, and no other follows.
        try ground.stage.patch("matches/derby", ["status": "postponed"])
        #expect(try ground.unread() == [1, 1, 1])
        #expect(try ground.emma.inbox().texts("title") == ["Lions – Tigers is moved"])
    }

    /// The instants at which each fan is notified of the day of the match, and all fans of the kick-off.
    @Test(
        arguments: [
            // Rome puts its clocks forward in the night before; New York did so two weeks before.
            (
                "2027-03-28T20:45", giulia: "2027-03-28T07:00:00Z", adam: "2027-03-28T13:00:00Z",
                kickoff: "2027-03-28T18:45:00Z"
            ),
            // Rome puts them back; New York does so a week later.
            (
                "2027-10-31T20:45", giulia: "2027-10-31T08:00:00Z", adam: "2027-10-31T13:00:00Z",
                kickoff: "2027-10-31T19:45:00Z"
            ),
            // New York puts them back.
            (
                "2027-11-07T20:45", giulia: "2027-11-07T08:00:00Z", adam: "2027-11-07T14:00:00Z",
                kickoff: "2027-11-07T19:45:00Z"
            ),
        ])
    func `on nights when clocks change, the day comes at nine by each fan's clock and the kick-off to all at once`(
        local: String, giulia: String, adam: String, kickoff: String
    ) throws {
        let day = String(local.prefix(10))
        let eve = day == "2027-03-28" ? "2027-03-27" : day == "2027-10-31" ? "2027-10-30" : "2027-11-06"
        let ground = try Ground(at: "\(eve)T10:00:00Z")
        try ground.put(kickoff: local)
        // Nine in Tokyo is midnight in Greenwich all year.
        try ground.move(to: "\(eve)T23:59:55Z")
        #expect(try ground.heard("match-day") == [0, 0, 0])
        try ground.move(to: "\(day)T00:00:01Z")
        #expect(try ground.heard("match-day") == [0, 0, 1])
        try ground.move(to: Self.before(giulia))
        #expect(try ground.heard("match-day") == [0, 0, 1])
        try ground.move(to: Self.after(giulia))
        #expect(try ground.heard("match-day") == [1, 0, 1])
        try ground.move(to: Self.before(adam))
        #expect(try ground.heard("match-day") == [1, 0, 1])
        try ground.move(to: Self.after(adam))
        #expect(try ground.heard("match-day") == [1, 1, 1])
        try ground.move(to: Self.before(kickoff))
        #expect(try ground.heard("kick-off") == [0, 0, 0])
        try ground.move(to: Self.after(kickoff))
        #expect(try ground.heard("kick-off") == [1, 1, 1])
        #expect(try ground.heard("match-day") == [1, 1, 1])
        #expect(try ground.unread() == [2, 2, 2])
    }

    @Test(
        arguments: [
            ("2027-03-28T02:30", "2027-03-28T01:30:00.000Z"), ("2027-10-31T02:30", "2027-10-31T00:30:00.000Z"),
        ])
    func `a kick-off at a time that the clock skips or shows twice has one instant`(local: String, at: String) throws {
        let ground = try Ground(at: "2027-03-27T10:00:00Z")
        let answer = try ground.stage.put(
            "matches/night",
            [
                "home": "lions", "away": "tigers", "kickoff": .string(local), "zone": "Europe/Rome",
                "status": "scheduled",
            ])
        let kickoff = answer["triggers"]?.arrayValue?.first { $0["trigger"] == "kick-off" }
        #expect(kickoff?["scheduled"]?.stringValue == at)
    }

    /// Five seconds before a full minute, and one after.
    private static func before(_ instant: String) -> String {
        let hour = (Int(instant.dropFirst(11).prefix(2)) ?? 0)
        let minute = Int(instant.dropFirst(14).prefix(2)) ?? 0
        let (h, m) = minute == 0 ? (hour - 1, 59) : (hour, minute - 1)
        return "\(instant.prefix(11))\(h < 10 ? "0" : "")\(h):\(m < 10 ? "0" : "")\(m):55Z"
    }

    private static func after(_ instant: String) -> String { instant.replacing(":00Z", with: ":01Z") }
}
