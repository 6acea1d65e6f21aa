import Model
import Testing

private func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

@Suite struct IdentifierTests {
    @Test(arguments: [
        "a", "alice", "A-Z_a.z@0", "-", "...", "a..b", ".a", "@", "rooms", "Room", letters(128),
        "Yx3kQm0aBcDeFgHiJkLmNoPqRs12",
    ])
    func `a user id is kept as it is`(text: String) {
        #expect(UserID(text)?.text == text)
        #expect(UserID(text)?.description == text)
    }

    @Test(arguments: [
        "", "room", ".", "..", letters(129), "a b", "a:b", "a/b", "ä", "a\u{301}", "a\n", "\u{0}", "a~", "~a", "~4f2c",
        "a+b",
        "a%20",
    ])
    func `a text that is not a user id is refused`(text: String) {
        #expect(UserID(text) == nil)
    }

    @Test(arguments: [".", ".."])
    func `a name that clients remove from paths is read where it is stored, and has a form of its own in paths`(
        text: String
    ) throws {
        #expect(UserID(text) == nil)
        let admitted = try #require(UserID(admitted: text))
        #expect(admitted.text == text && admitted == UserID(stored: text) && admitted.segment == "~" + text)
        #expect(UserID.text(ofSegment: admitted.segment) == text)
        #expect(UserID(admitted: admitted.segment) == nil && UserID(stored: admitted.segment) == nil, "nobody's name")
        #expect(Topic("user:" + text)?.user == admitted && ChatID("\(text):alice") != nil)
    }

    @Test(arguments: ["alice", "...", "a..b", "~4f2c", "~", "~...", ""])
    func `every other part of a path is the name itself`(text: String) {
        #expect(UserID.text(ofSegment: text) == text)
        #expect(UserID(stored: text).map { $0.segment == text } ?? true)
    }

    @Test(arguments: [
        ("film:a", true), ("film:a/b", true), ("film:...", true), ("film:a..b", true), ("film:.a/b.", true),
        ("product:tv/1399", true), ("user:alice", true), ("film:.", false), ("film:..", false), ("film:a/../b", false),
        ("film:a/.", false), ("film:../a", false), ("film:a//b", false), ("film:/a", false), ("film:a/", false),
        ("film:/", false), ("user:..", false), ("user:.", false),
    ])
    func `a topic can be named in a path when no part of its id is empty or dots`(text: String, can: Bool) throws {
        #expect(try #require(Topic(text), "what is stored is read").isAddressable == can)
    }

    @Test(arguments: ["~4f2c", "~0000", "~\(String(repeating: "a", count: 64))"])
    func `a pseudonym is read where the server has written it, and is no user id`(text: String) throws {
        #expect(UserID(text) == nil)
        let stored = try #require(UserID(stored: text))
        #expect(stored.text == text && stored.isPseudonym)
        #expect(UserID(pseudonym: String(text.dropFirst())) == stored)
        #expect(Topic("user:" + text)?.user == stored && Topic("film:" + text) == nil)
        #expect(UserID(stored: "gone-4f2c")?.isPseudonym == false)
    }

    @Test(arguments: [
        "~", "~4f2", "~4F2C", "~4f2g", "~~4f2c", "~4f2c ", "~\(String(repeating: "a", count: 65))", "room", "",
    ])
    func `a text that is neither is no stored name`(text: String) { #expect(UserID(stored: text) == nil) }

    @Test func `users are ordered by bytes`() throws {
        let sorted = try ["bob", "Bob", "_", "-", "alice", "alice2", "@", "0"].map { try #require(UserID($0)) }.sorted()
        #expect(sorted.map(\.text) == ["-", "0", "@", "Bob", "_", "alice", "alice2", "bob"])
    }

    @Test(arguments: [
        ("user:bob", "user", "bob"), ("person:525", "person", "525"), ("product:tv/1399", "product", "tv/1399"),
        ("a:/", "a", "/"), ("feed:a@b.c-d_E", "feed", "a@b.c-d_E"),
    ])
    func `a topic has a kind and an id`(text: String, kind: String, id: String) throws {
        let topic = try #require(Topic(text))
        #expect(topic.kind == kind)
        #expect(topic.id == id)
        #expect(topic.text == text)
        #expect(Topic(kind: kind, id: id) == topic)
    }

    @Test(arguments: [
        "", "user", "user:", ":bob", "User:bob", "us er:bob", "us1:bob", "a:b:c", "a:b c", "a:ä", "user:room",
        "user:a/b",
        "\(letters(33)):x", "a:\(letters(201))", "user:\(letters(129))",
    ])
    func `a text that is not a topic is refused`(text: String) {
        #expect(Topic(text) == nil)
    }

    @Test func `only a user's topic has a user`() throws {
        let bob = try #require(UserID("bob"))
        #expect(Topic(user: bob).user == bob)
        #expect(Topic(user: bob).text == "user:bob")
        #expect(Topic("person:bob")?.user == nil)
        #expect(Topic("\(letters(32)):\(letters(200))") != nil)
    }

    @Test(arguments: ["!", "~", letters(64), "{\"a\":1}"])
    func `keys and epochs are visible ASCII`(text: String) {
        #expect(WriteKey(text)?.text == text)
        #expect(Epoch(text)?.text == text)
    }

    @Test(arguments: ["", " ", "a b", "\u{7f}", "a\n", "ä", letters(65)])
    func `a text that is not a key is refused`(text: String) {
        #expect(WriteKey(text) == nil)
        #expect(Epoch(text) == nil)
    }

    @Test(arguments: [
        ("movie/603", true), ("tv/1399", true), ("x", true), ("", false), ("a b", false), (letters(200), true),
        (letters(201), false),
    ])
    func `a product needs an id of the form`(id: String, isGood: Bool) {
        #expect((Product(id: id, title: "T", year: 1999) != nil) == isGood)
    }

    @Test func `positions count up from zero`() {
        #expect(Position.zero.next == Position(1))
        #expect(Position(4711) < Position(4712))
        #expect(Position(Position.bound - 1).description == "9007199254740991")
    }

    @Test func `levels are ordered by how far they go`() {
        #expect(InterruptionLevel.allCases.sorted() == [.passive, .active, .timeSensitive, .critical])
        #expect(InterruptionLevel(rawValue: "time-sensitive") == .timeSensitive)
        #expect(InterruptionLevel(rawValue: "timeSensitive") == nil)
    }
}
