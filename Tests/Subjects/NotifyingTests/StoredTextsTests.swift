import JSON
import Model
import Notifying
import Store
import Testing
import Triggers

struct StoredTextsTests {
    private static func texts(_ byLanguage: [String: String]) -> StoredTexts {
        var localized: [LanguageTag: NotificationText] = [:]
        for (name, title) in byLanguage {
            if let tag = LanguageTag(name) { localized[tag] = NotificationText(title: title, body: "\"\(title)\"\n") }
        }
        return StoredTexts(Localized(fallback: NotificationText(title: "T", body: ""), byLanguage: localized))
    }

    @Test(arguments: [[:], ["it": "Ciao"], ["it": "Ciao", "it-CH": "Salve", "zh-Hant": "你好"]] as [[String: String]])
    func `texts are read back as they were kept`(byLanguage: [String: String]) throws {
        let texts = Self.texts(byLanguage)
        #expect(texts.texts.byLanguage.count == byLanguage.count)
        #expect(try StoredTexts(parsing: texts.json) == texts)
    }

    @Test func `languages are kept in an order that holds`() {
        let one = Self.texts(["it": "a", "de": "b", "fr": "c"])
        #expect(one.json == Self.texts(["fr": "c", "it": "a", "de": "b"]).json)
        #expect(one.json.hasPrefix(#"{"":{"title":"T","body":""},"de":"#))
    }

    @Test(arguments: ["", "[]", "{", "null"])
    func `a text that the server never wrote means a damaged file`(text: String) {
        #expect(throws: StoredValueProblem.self) { _ = try StoredTexts(parsing: text) }
    }
}
