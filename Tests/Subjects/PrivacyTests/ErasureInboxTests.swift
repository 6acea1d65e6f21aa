import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// The inbox of an erased person.
struct ErasureInboxTests {
    @Test func `a notification that was taken out of the inbox goes as well, whatever stands in it`() throws {
        let house = try House(triggers: House.rowsOfErasure)
        for person in ["bob", "carol"] {
            _ = try house.actor(person)
            try house.follow(person, "station:9")
        }
        try house.put("stations/9", ["index": 8])
        for person in ["bob", "carol"] {
            let due = house.now.adding(milliseconds: 60_000)
            let newest = try house.notifications(person)["notifications"]?.arrayValue?.first
            let id = try #require(newest?["id"]?.stringValue)
            try house.write(SnoozeNotifications(SnoozeCommand(ids: [id], until: due)), by: person)
            house.now = house.now.adding(milliseconds: 60_000)
            try house.write(DeliverDue(), by: "server")
            // It is back under another number; that one is snoozed, too, and so in no list.
            let again = try house.notifications(person)["notifications"]?.arrayValue?.first
            let back = try #require(again?["id"]?.stringValue)
            let later = house.now.adding(milliseconds: 60_000)
            try house.write(SnoozeNotifications(SnoozeCommand(ids: [back], until: later)), by: person)
        }
        func kept(_ user: StreamID) throws -> Int64 {
            try house.look { transaction in
                let sql = "SELECT count(*) FROM notifications WHERE stream = ? AND removed IS NOT NULL"
                return try transaction.access.number(sql, [user.value])
            }
        }
        let (bob, carol) = (try house.entry("bob").id, try house.entry("carol").id)
        let others = try kept(carol)
        #expect(try kept(bob) > 0 && others > 0)
        _ = try house.erase("bob")
        #expect(try kept(bob) == 0)
        #expect(try kept(carol) == others)
    }
}
