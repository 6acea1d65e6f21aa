import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Triggers

/// The work of triggers in one write is bounded, and a row that runs out of its budget repeatedly is disabled.
struct TriggerBudgetTests {
    private static let endless =
        "(WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(x) FROM t) > 0"
    /// Runs out of its budget only on documents with this field.
    private static let sometimes = "CASE WHEN after ->> 'bad' THEN \(endless) ELSE 1 END"

    /// Takes about 150,000 steps, and has a result.
    private static let dear =
        "(WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 9000) SELECT count(x) FROM t) > 0"

    private static func row(_ name: String, _ condition: String = "1") -> JSONValue {
        [
            "name": .string(name), "event": "write", "path": "items/{item}", "audience": "user:alice",
            "title": "{{item}}", "condition": .string(condition),
        ]
    }

    private static func writes(_ count: Int) throws -> [DocumentWrite] {
        try (0..<count).map { DocumentWrite(path: try DocumentPath("items/x\($0)"), operation: .put(["a": 1])) }
    }

    private static func batch(_ count: Int) throws -> WriteDocuments {
        WriteDocuments(batch: try writes(count), key: nil)
    }

    private static func effects(_ answer: JSONValue) -> [String] {
        answer["triggers"]?.arrayValue?.map { report in
            report["failed"] != nil ? "failed" : report["notifications"] != nil ? "sent" : "skipped"
        } ?? []
    }

    @Test
    func `a row that runs out of its budget three times is set aside and reported, and comes back when it is put`()
        throws
    {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row("bad", Self.sometimes), Self.row("good")], tally: tally)
        #expect(Self.effects(try house.put("items/1", ["bad": true])) == ["failed", "sent"])
        #expect(Self.effects(try house.put("items/2", ["bad": true])) == ["failed", "sent"])
        #expect(Self.effects(try house.put("items/2", ["bad": false])) == ["sent", "sent"], "then it was not in a row")
        for item in 3...5 {
            #expect(tally.broken.isEmpty)
            #expect(Self.effects(try house.put("items/\(item)", ["bad": true])) == ["failed", "sent"])
        }
        let since = house.head.value - 1
        #expect(Self.effects(try house.put("items/6", ["bad": false])) == ["sent"], "it does not run any more")
        let told = house.takeBroken()
        #expect(told.map(\.name) == ["bad"] && house.takeBroken().isEmpty)
        #expect(told[0].reason.contains("3 times in a row") && told[0].reason.contains("seq \(since)"))
        #expect(tally.broken["bad"] == told[0].reason)
        let list = try house.read(ReadTriggers(name: nil, broken: tally.broken), by: "admin")
        #expect(list.texts("triggers", "broken") == [told[0].reason])
        let dead = try house.read(ListDead(before: nil, limit: 50), by: "admin")
        #expect(dead["dead"]?.arrayValue?.count == 5)
        #expect(dead.texts("dead", "reason").first?.hasSuffix("put it again, then replay it from seq \(since)") == true)

        // It stays disabled when the table is read again, as at a start.
        try house.reloadTriggers()
        #expect(tally.broken["bad"] == told[0].reason)
        #expect(Self.effects(try house.put("items/7", ["bad": false])) == ["sent"])
        let range = try ReplayRange(name: "bad", from: since, to: house.head.value, limit: nil)
        let refusal = try house.refusal { try house.write(ReplayTrigger(range, key: nil), by: "admin") }
        #expect(refusal.code == .conflict && refusal.message.contains("disabled"))

        try house.put(trigger: Self.row("bad"))
        #expect(tally.broken.isEmpty)
        #expect(Self.effects(try house.put("items/8", ["bad": true])) == ["sent", "sent"])
        let replay = try house.write(ReplayTrigger(range, key: nil), by: "admin")
        #expect(replay["sent"] == 3, "the one it ran out on, and the two it has missed: \(replay.text)")
    }

    @Test func `the row as it was comes back when it is put, with all its tries`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row("bad", Self.sometimes)], tally: tally)
        for item in 1...3 { try house.put("items/\(item)", ["bad": true]) }
        #expect(tally.broken.keys.sorted() == ["bad"])
        // The stored row, with the note in it.
        let stored = try #require(try house.look { try $0.triggers.find("bad") })
        let noted = try JSONValue(parsing: Array(stored.utf8))
        #expect(noted["setAside"]?["reason"]?.stringValue != nil)
        try house.put(trigger: noted)
        #expect(tally.broken.isEmpty)
        #expect(try house.look { try $0.triggers.find("bad") }?.contains("setAside") == false)
        for item in 4...5 {
            try house.put("items/\(item)", ["bad": true])
            #expect(tally.broken.isEmpty)
        }
        try house.put("items/6", ["bad": true])
        #expect(tally.broken.keys.sorted() == ["bad"])
    }

    @Test func `in a batch it is set aside at its third document, and the others fire for all`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row("bad", Self.endless), Self.row("good")], tally: tally)
        let answer = try house.write(Self.batch(500), by: "admin")
        let reports = answer["documents"]?.arrayValue ?? []
        #expect(reports.count == 500 && reports.prefix(3).allSatisfy { Self.effects($0) == ["failed", "sent"] })
        #expect(reports.dropFirst(3).allSatisfy { Self.effects($0) == ["sent"] })
        #expect(try house.look { try $0.triggers.countDead() } == 3)
        #expect(tally.broken.keys.sorted() == ["bad"])
    }

    @Test func `a thousand bad rows do not make one write long, and cheap ones beside them fire`() throws {
        let bad = (0..<1000).map { Self.row("bad-\($0)", Self.endless) }
        let house = try House(triggers: [])
        for row in bad { try house.store(try #require(row["name"]?.stringValue), row: row.text, reloads: false) }
        try house.put(trigger: Self.row("good", "abs(after ->> 'a') = 1"))
        let took = try ContinuousClock().measure {
            let answer = try house.put("items/1", ["a": 1])
            #expect(Self.effects(answer).count { $0 == "sent" } == 1)
            #expect(Self.effects(answer).count { $0 == "failed" } == 1000)
        }
        // 25 s before the bound; in this build, the letters take most of the time.
        #expect(took < .seconds(2), "\(took)")
    }

    @Test func `a batch that is undone sets nothing aside, and the next time does at once`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row("bad", Self.endless)], tally: tally)
        var writes = try Self.writes(3)
        writes.append(DocumentWrite(path: try DocumentPath("items/none"), operation: .delete))
        let refusal = try house.refusal { try house.write(WriteDocuments(batch: writes, key: nil), by: "admin") }
        #expect(refusal.code == .notFound && tally.broken.isEmpty)
        #expect(try house.look { try $0.triggers.countDead() } == 0)
        #expect(Self.effects(try house.put("items/1", ["a": 1])) == ["failed"])
        #expect(tally.broken.keys.sorted() == ["bad"])
    }

    @Test func `a batch whose triggers do too much is refused whole, and in parts it is written`() throws {
        let house = try House(triggers: [Self.row("dear", Self.dear), Self.row("other")])
        var part = 200
        var answer: JSONValue?
        // Time counts as work, too: on a busy machine, a write that fitted once may be refused with a smaller number.
        for _ in 0..<5 where answer == nil {
            do {
                answer = try house.write(Self.batch(part), by: "admin")
            } catch let refusal as Refusal {
                #expect(refusal.code == .tooLarge && refusal.field == "writes")
                #expect(refusal.message.contains("most of it by the trigger dear"))
                let fitting = try #require(refusal.message.split(separator: " ").compactMap { Int($0) }.first)
                #expect(fitting < part && refusal.message.hasSuffix("send at most \(fitting) at a time"))
                part = fitting
            }
        }
        #expect((5...100).contains(part))
        #expect(answer?["documents"]?.arrayValue?.allSatisfy { Self.effects($0) == ["sent", "sent"] } == true)
    }

    @Test func `a slice of a replay ends when its work is done, and goes on`() throws {
        let house = try House()
        for item in 0..<80 { try house.put("items/\(item)", ["a": 1]) }
        try house.put(trigger: Self.row("dear", Self.dear))
        var from: Int64? = 1
        var (sent, slices) = (Int64(0), 0)
        while let start = from {
            let range = try ReplayRange(name: "dear", from: start, to: house.head.value, limit: nil)
            let dry = try house.read(PreviewReplay(range), by: "admin")
            let slice = try house.write(ReplayTrigger(range, key: nil), by: "admin")
            #expect(dry["next"] != nil || slice["next"] == nil || slices > 0)
            sent += slice["sent"]?.integerValue ?? 0
            from = slice["next"]?.integerValue
            slices += 1
            #expect(slices < 50)
        }
        #expect(sent == 80 && slices > 1, "\(sent) in \(slices)")
    }
}
