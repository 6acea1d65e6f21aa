import Model
import Testing
@testable import Push

struct PushTagTests {
    @Test func `a tag is the keyed digest that Python's hmac makes`() {
        #expect(Samples.tag.text == Samples.tagText)
        #expect(Samples.key.tag(chat: Samples.chat).text == "20iP1rQw_bBnBnrhZAMbnlFIMA1ONU4y")
    }

    @Test func `topic and collapse name cannot change places`() {
        let key = Samples.key
        #expect(key.tag(topic: "ab", collapse: "c") != key.tag(topic: "a", collapse: "bc"))
        #expect(key.tag(topic: "chat:alice:bob", collapse: "") != key.tag(chat: Samples.chat))
    }

    @Test func `the longest chat has a tag that is valid on every platform`() throws {
        let name = String(repeating: "a", count: 128)
        let chat = try #require(ChatID("\(name):\(String(repeating: "b", count: 128))"))
        let tag = Samples.key.tag(chat: chat)
        #expect(tag.text.utf8.count == 32)
        #expect(PushTag(stored: tag.text) == tag)
    }

    @Test(arguments: ["", "short", String(repeating: "a", count: 33), String(repeating: "+", count: 32)])
    func `a stored text of another form is no tag`(_ text: String) { #expect(PushTag(stored: text) == nil) }

    @Test func `the key does not show itself`() {
        var shown = "\(Samples.key)"
        dump(Samples.key, to: &shown)
        #expect(!shown.contains("31"))
    }

    @Test func `a key of another length stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = PushTagKey([1, 2, 3]) }
    }
}
