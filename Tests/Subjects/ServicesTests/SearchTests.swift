import ClientProtocol
import Foundation
import JSON
import Model
import PersonalData
import Searching
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing

/// `search`: which messages are found, in which form, and which never are.
struct SearchTests {
    /// Alice writes with Bob and with Carol, and Dora with Erin.
    private func house() throws -> House {
        let house = try House()
        for (first, second) in [("alice", "bob"), ("alice", "carol"), ("dora", "erin")] {
            try house.follow(first, "user:\(second)")
        }
        return house
    }

    private func texts(_ answer: JSONValue) -> [String] {
        answer["messages"]?.arrayValue?.map { $0["text"]?.stringValue ?? "-" } ?? []
    }

    @Test func `the words of all languages are found, newest first, with marks`() throws {
        let house = try house()
        let sent = [
            ("bob", "Είδες τη Λάμψη;"), ("carol", "ο σκοτεινός θάλαμος"), ("bob", "w Łodzi jest żółty tramwaj"),
            ("carol", "perché no, è l’amico mio"), ("bob", "昨日映画を見た"), ("carol", "映画館"),
        ]
        for (to, text) in sent { try house.send("alice", to, text) }
        try house.index()
        for (question, places) in [
            ("λαμψη", [0]), ("ΣΚΟΤΕΙΝΟΣ", [1]), ("zolty lodz", [2]), ("ŁÓD", [2]), ("perche amico", [3]),
            ("\"l'amico mio\"", [3]),
            ("映画", [5, 4]), ("見た", [4]), ("\"画映\"", []),
        ] as [(String, [Int])] {
            #expect(texts(try house.search("alice", question)) == places.map { sent[$0].1 }, "\(question)")
        }
        let message = try #require(try house.search("carol", "amico").arrayOfMessages.first)
        #expect(message["marks"] == [[15, 5]])
        #expect(message["chat"] == "alice:carol" && message["n"] == 2 && message["from"] == "alice")
        #expect(message["seq"] != nil && message["rev"] == 1)
    }

    @Test func `a recommendation is found by its note and by its title`() throws {
        let house = try house()
        try house.recommend("alice", "bob", note: "tonight?")
        try house.index()
        for (question, marks) in [("matr", [] as JSONValue), ("tonight", [[0, 7]]), ("matrix tonight", [[0, 7]])] {
            #expect(try house.search("bob", question).arrayOfMessages.first?["marks"] == marks, "\(question)")
        }
    }

    @Test func `nothing of a chat of others is found, and asking for it is refused as history does`() throws {
        let house = try house()
        try house.send("alice", "bob", "secret")
        try house.send("dora", "erin", "secret")
        try house.index()
        #expect(try house.search("carol", "secret").arrayOfMessages.isEmpty)
        #expect(try house.search("erin", "secret").arrayOfMessages.map { $0["chat"] } == ["dora:erin"])
        for (chat, code) in [("dora:erin", ErrorCode.forbidden), ("alice:erin", .notFound), ("room:1", .forbidden)] {
            let refusal = try house.refusal(of: ["alice"]) { try house.search("alice", "secret", chat: chat) }
            #expect(refusal.code == code && refusal.field == "chat", "\(chat)")
        }
    }

    @Test func `a chat and an author narrow`() throws {
        let house = try house()
        try house.send("alice", "bob", "film one")
        try house.send("bob", "alice", "film two")
        try house.send("alice", "carol", "film three")
        try house.index()
        #expect(texts(try house.search("alice", "film")) == ["film three", "film two", "film one"])
        #expect(texts(try house.search("alice", "film", chat: "alice:bob")) == ["film two", "film one"])
        #expect(texts(try house.search("alice", "film", from: "alice")) == ["film three", "film one"])
        #expect(texts(try house.search("alice", "film", chat: "alice:bob", from: "bob")) == ["film two"])
        #expect(texts(try house.search("alice", "film", from: "nobody-known")) == [])
    }

    @Test(arguments: [1, 2, 3, 7]) func `pages have everything once`(limit: Int) throws {
        let house = try house()
        for number in 1...7 { try house.send("alice", number.isMultiple(of: 2) ? "bob" : "carol", "film \(number)") }
        try house.index()
        var found: [String] = []
        var next: String?
        var pages = 0
        repeat {
            let page = try house.search("alice", "film", before: next, limit: limit)
            found += texts(page)
            next = page["next"]?.stringValue
            pages += 1
        } while next != nil
        #expect(found == (1...7).reversed().map { "film \($0)" })
        #expect(pages == (7 + limit - 1) / limit)
        let refusal = try house.refusal(of: ["alice"]) { try house.search("alice", "film", before: "x") }
        #expect(refusal.code == .badRequest && refusal.field == "before")
    }

    @Test func `a search that finds little says where to go on`() throws {
        let house = try house()
        try house.send("alice", "bob", "b a")
        for _ in 0...SearchLimits.looksMax { try house.send("alice", "bob", "a b") }
        try house.index()
        let first = try house.search("alice", "\"b a\"")
        let next = try #require(first["next"]?.stringValue)
        #expect(first.arrayOfMessages.isEmpty)
        #expect(texts(try house.search("alice", "\"b a\"", before: next)) == ["b a"])
    }

    @Test(arguments: ["", "!?", String(repeating: "a ", count: 17)])
    func `a question without words or with too many is refused`(question: String) throws {
        let refusal = try house().refusal { try house().search("alice", question) }
        #expect(refusal.code == .badRequest && refusal.field == "q")
    }

    @Test func `a server without search says so`() throws {
        let house = try house()
        let refusal = try house.refusal(of: ["alice"]) { try house.search("alice", "film") }
        #expect(refusal.code == .forbidden)
    }

    @Test func `an edited message is found as it is now, and a deleted one never`() throws {
        let house = try house()
        for text in ["zebra one", "zebra two", "zebra three"] { try house.send("alice", "bob", text) }
        try house.index()
        try house.edit("alice", "alice:bob", 1, "giraffe one")
        try house.delete("alice", "alice:bob", 2)
        // Before the index knows it, too.
        #expect(texts(try house.search("bob", "zebra")) == ["zebra three"])
        try house.index()
        #expect(texts(try house.search("bob", "zebra")) == ["zebra three"])
        #expect(texts(try house.search("bob", "giraffe")) == ["giraffe one"])
        #expect(texts(try house.search("bob", "one")) == ["giraffe one"])
    }

    @Test func `after a merge no word of a deleted text is in the file`() throws {
        let house = try house()
        try house.send("alice", "bob", "xylophone")
        try house.send("alice", "bob", "ordinary")
        let index = try house.openSearch()
        try house.index()
        try house.delete("alice", "alice:bob", 1)
        try house.index()
        #expect(index.standing?.removed == 1)
        if try index.merge(isFirst: true, pages: 100) { while try index.merge(isFirst: false, pages: 100) {} }
        try index.merged(1)
        #expect(index.standing?.removed == 0)
        for suffix in ["", "-wal"] {
            let path = house.folderPath + "/search.db" + suffix
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data("xylophone".utf8)) == nil, "search.db\(suffix)")
            if suffix.isEmpty { #expect(bytes.range(of: Data("ordinary".utf8)) != nil) }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
        }
        #expect(texts(try house.search("bob", "ordinary")) == ["ordinary"])
    }

    // MARK: The index

    @Test func `the answer says how far the index is`() throws {
        let house = try house()
        try house.send("alice", "bob", "film")
        try house.openSearch()
        let before = try house.search("alice", "film")
        #expect(before["upTo"] == 0 && before["building"] == true && before.arrayOfMessages.isEmpty)
        #expect(try house.searching?.indexing.step() == .began(house.head))
        let begun = try house.search("alice", "film")
        #expect(begun["upTo"] == .integer(house.head.value) && begun["building"] == true)
        // New messages come at once, though the walk over the older ones has not ended.
        try house.send("alice", "bob", "film again")
        #expect(try house.index() == [.more, .built])
        let after = try house.search("alice", "film")
        #expect(after["upTo"] == .integer(house.head.value) && after["building"] == nil)
        #expect(texts(after) == ["film again", "film"])
    }

    @Test func `an index that is there is gone on with, one of another history or a damaged one is made again`() throws
    {
        let house = try house()
        try house.send("alice", "bob", "film one")
        try house.index()
        try house.send("alice", "bob", "film two")
        try house.openSearch()
        #expect(try house.index() == [])
        #expect(texts(try house.search("bob", "film")) == ["film two", "film one"])
        #expect(try house.openSearch(epoch: Epoch("e-other")).standing == nil)
        let file = try FileHandle(forWritingTo: URL(filePath: house.folderPath + "/search.db"))
        try file.write(contentsOf: Data(repeating: 7, count: 4096))
        try file.close()
        try FileManager.default.removeItem(atPath: house.folderPath + "/search.db-wal")
        try house.openSearch()
        #expect(try house.index().first == .began(house.head))
        #expect(texts(try house.search("bob", "film")) == ["film two", "film one"])
    }

    @Test func `a log that was trimmed further than the index is makes it begin again`() throws {
        let house = try house()
        try house.send("alice", "bob", "film one")
        try house.index()
        try house.send("alice", "bob", "film two")
        house.now = house.now.adding(milliseconds: 86_400_000)
        try house.trim(keeping: 1000)
        try house.send("alice", "bob", "film three")
        house.now = house.now.adding(milliseconds: 86_400_000)
        try house.trim(keeping: 1000)
        #expect(try house.index().first == .began(house.head))
        #expect(texts(try house.search("bob", "film")) == ["film three", "film two", "film one"])
    }

    @Test func `a deletion whose text is not kept any more makes it begin again`() throws {
        let house = try house()
        for text in ["film one", "film two"] { try house.send("alice", "bob", text) }
        try house.index()
        try house.delete("alice", "alice:bob", 1)
        let edits = try #require(SweptRows.all.first { $0.table == .pastMessages })
        _ = try house.writer.commit([0]) { _, transaction in
            Result<Int, any Error> { try transaction.sweep(edits, upTo: house.now.milliseconds, limit: 10) }
        } refuse: {
            .failure($0)
        }
        #expect(try house.index().contains(.began(house.head)))
        #expect(texts(try house.search("bob", "film")) == ["film two"])
    }

    // MARK: Chance

    /// The messages of all chats of a user that answer a question, by a look at each.
    private func reference(_ house: House, _ name: String, _ chats: [String], _ question: String) throws -> [JSONValue]
    {
        let question = try SearchQuestion(question)
        return try chats.filter { $0.split(separator: ":").contains(Substring(name)) }
            .flatMap { try house.history(name, $0, limit: 200)["messages"]?.arrayValue ?? [] }
            .filter { message in
                guard message["deleted"] != true else { return false }
                return question.marks(in: FoldedText(message["text"]?.stringValue ?? "")) != nil
            }
            .sorted { ($0["seq"]?.integerValue ?? 0) > ($1["seq"]?.integerValue ?? 0) }
    }

    @Test(arguments: Seeds.first(2, of: 4)) func `at random, a search finds what a look at every message finds`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let house = try House()
        let people = ["ann", "ben", "cem", "dan"]
        let pairs = [("ann", "ben"), ("ann", "cem"), ("ben", "cem"), ("cem", "dan")]
        for (first, second) in pairs { try house.follow(first, "user:\(second)") }
        let chats = pairs.map { "\($0.0):\($0.1)" }
        let words = ["film", "Filme", "Λάμψη", "映画", "見た", "żółw", "zolw", "a", "ab", "abc", "l'eco", "_1", "🎬"]
        var counts = Array(repeating: Int64(0), count: pairs.count)
        let phrase = { (random: inout SeededRandom) in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: " ")
        }
        for _ in 0..<250 {
            let place = Int.random(in: 0..<pairs.count, using: &random)
            let (first, second) = pairs[place]
            let n = Int64.random(in: 1...max(1, counts[place]), using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where counts[place] > 0:
                for author in [first, second] {
                    _ = try? house.edit(author, chats[place], n, phrase(&random))
                }
            case 1 where counts[place] > 0:
                for author in [first, second] { _ = try? house.delete(author, chats[place], n) }
            case 2: try house.index()
            case 3: try house.openSearch()
            default:
                try house.send(first, second, phrase(&random))
                counts[place] += 1
            }
        }
        try house.index()
        for _ in 0..<150 {
            let name = people.randomElement(using: &random) ?? ""
            var question = phrase(&random)
            if Bool.random(using: &random) { question = "\"\(question)\"" }
            let found = try house.search(name, question, limit: 200).arrayOfMessages
            let wanted = try reference(house, name, chats, question)
            #expect(found.map { $0["seq"] } == wanted.map { $0["seq"] }, "\(name) asks \(question), seed \(seed)")
            for (message, same) in zip(found, wanted) { #expect(message["text"] == same["text"]) }
        }
    }
}

extension JSONValue {
    fileprivate var arrayOfMessages: [JSONValue] { self["messages"]?.arrayValue ?? [] }
}
