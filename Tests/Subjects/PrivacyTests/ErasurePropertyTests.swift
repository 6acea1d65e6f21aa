import Execution
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

@testable import ClientProtocol

/// A life among others, by chance. A word stands in most rows of it: as an id, in texts, in topics.
private struct Story {
    let house: House
    /// The person who will be erased.
    let name: String
    let word: String
    let people: [String]
    let room: String
    private var random: SeededRandom

    /// - Parameter name: of the person; in one story of two it is the word.
    init(seed: UInt64, name: String, word: String) throws {
        self.name = name
        self.word = word
        random = SeededRandom(seed: seed)
        house = try House(triggers: House.rowsOfErasure)
        house.now = try #require(Timestamp("2026-11-28T14:37:42.400Z"))
        people = ["bob", "carol", name]
        for person in people { _ = try house.actor(person) }
        try house.write(OpenWatchedStream(.collection("boards")), by: "server")
        try house.openReviews()
        room = try house.room("bob", ["carol"], isOpen: true)
        for step in 0..<60 { try act(step) }
    }

    private mutating func one<Element>(of list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    /// One thing happens. Some of it is refused, in both stories alike.
    private mutating func act(_ step: Int) throws {
        let person = one(of: people)
        let other = one(of: people.filter { $0 != person })
        let (id, number) = (one(of: [word, "\(step)"]), Int.random(in: 1...9, using: &random))
        let chat = ChatID(between: try user(person), and: try user(other))?.text ?? ""
        let place = one(of: [chat, room])
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1: _ = try? house.follow(person, "user:\(other)", isOn: number > 2)
        case 2: _ = try? house.follow(person, one(of: ["station", "film"]) + ":" + id, isOn: number > 2)
        case 3, 4: _ = try? house.send(person, number > 6 ? room : other, "\(word) at \(step) \(word) Street")
        case 5: _ = try? house.recommend(person, other, "movie/\(id)", title: word, note: word)
        case 6: _ = try? house.react(person, place, Int64(number), "👍")
        case 7: _ = try? house.edit(person, place, Int64(number), "not \(word)")
        case 8: _ = try? house.delete(person, place, Int64(number))
        case 9: _ = try? house.markRead(person, place, Int64(number))
        case 10:
            try house.put("boards/\(id)", ["column": .string(word), "user": .string(word), "n": .integer(Int64(step))])
        case 11, 12: try house.put("stations/\(id)", ["index": .integer(Int64(number))])
        case 13: try wait(for: person, id, minutes: number)
        case 14: try house.put("orders/\(id)", ["who": .string(person)])
        case 15: try house.put("things/\(id)", ["n": .integer(Int64(step))])
        case 16: _ = try? number > 5 ? house.join(person, room) : house.leave(person, room)
        case 17: _ = try? house.block(person, other, isOn: number > 6)
        case 18: _ = try? house.report(person, other, in: chat, n: Int64(number), reason: word)
        case 19: try choose(person, number)
        case 20: _ = try? house.review(person, id)
        default: try pass(minutes: number)
        }
    }

    /// A reminder, and a snoozed notification.
    private func wait(for person: String, _ id: String, minutes: Int) throws {
        let due = house.now.adding(milliseconds: Int64(minutes) * 60_000)
        try house.put("tasks/\(id)", ["who": .string(person), "name": .string(word), "due": .string(due.text)])
        guard let newest = try house.notifications(person)["notifications"]?.arrayValue?.first?["id"]?.stringValue
        else {
            return
        }
        _ = try? house.write(SnoozeNotifications(SnoozeCommand(ids: [newest], until: due)), by: person)
    }

    private func choose(_ person: String, _ number: Int) throws {
        let topic = number > 5 ? "station:\(word)" : "user:\(name)"
        let digest: JSONObject = ["digest": ["topic:\(topic)": ["every": 3600]]]
        try house.write(ChangePreferences(number > 7 ? ["mute": ["topics": [topic: true]]] : digest), by: person)
    }

    private func pass(minutes: Int) throws {
        house.now = house.now.adding(milliseconds: Int64(minutes) * 60_000)
        try house.write(FireDueTriggers(), by: "server")
        try house.write(DeliverDue(), by: "server")
    }

    /// All that others have, and all that comes to them in the next hours.
    func others() throws -> [String: JSONValue] {
        let others = people.filter { $0 != name }
        var picture = try house.picture(of: others)
        let sessions = try others.map { ($0, try house.connect($0)) }
        for _ in 0..<3 { try pass(minutes: 60) }
        for index in [1, 9] as [Int64] { try house.put("stations/\(word)", ["index": .integer(index)]) }
        for (person, session) in sessions {
            picture["future of \(person)"] = .array(session.titles.map { .string($0) })
        }
        return picture.mapValues { part in
            let text = part.text.replacing(room, with: "ROOM").replacing(house.writer.epoch.text, with: "EPOCH")
            return (try? JSONValue(parsing: Array(text.utf8))) ?? .string(text)
        }
    }
}

/// An erasure goes by what a value means: what others have afterwards is the same, whether the person was called like a word in
/// their rows, or like nothing else.
struct ErasurePropertyTests {
    /// Numbers, also of a minute and a second; collections, kinds, members, languages, and beginnings of other words.
    private static let words = [
        "400", "37", "42", "7", "0", "movie", "stations", "users", "tasks", "data", "new", "station", "user", "who",
        "en",
        "a", "null", "bobo", "x.y", "2026-11-28", "everyone", "followers", "film", "remind", "topic", "chats",
        "messages",
    ]

    @Test(arguments: Seeds.first(24, of: 2000))
    func `others have the same after an erasure, whatever the person was called`(seed: UInt64) throws {
        let word = Self.words[Int(seed) % Self.words.count]
        let named = try Story(seed: seed, name: word, word: word)
        // It sorts as the word does: lists go by names.
        let unlike = try Story(seed: seed, name: word + ".zzq", word: word)
        let rows = (try named.house.erase(named.name), try unlike.house.erase(unlike.name))
        #expect(rows.0 == rows.1)
        let (found, expected) = (try named.others(), try unlike.others())
        for (part, value) in expected { #expect(found[part] == value, "\(word): \(part)") }
    }
}
