import Model
import Testing

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("it", "it"), ("IT", "it"), ("it-ch", "it-CH"), ("ZH-HANT-TW", "zh-Hant-TW"), ("gsw", "gsw"),
        ("es-419", "es-419"), ("it_IT", "it-IT"), ("zh_hant_tw", "zh-Hant-TW"),
        ("de-ch-1996", "de-CH-1996"), ("sl-Rozaj-biske", "sl-rozaj-biske"), ("en-x-twain", "en-x-twain"),
    ])
    func `a tag is brought into canonical case`(text: String, canonical: String) throws {
        let tag = try #require(LanguageTag(text))
        #expect(tag.text == canonical)
        #expect(LanguageTag(canonical) == tag)
    }

    @Test(arguments: [
        "", "i", "italian", "it+CH", "it_", "it-", "-it", "it--CH", "1t", "it-ü", "it-CH ", "ïт", "it-123456789", "*",
        "en-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd",
    ])
    func `a text that is not a language tag is refused`(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test func `a tag widens to its language`() throws {
        let tag = try #require(LanguageTag("zh-Hant-TW"))
        #expect(tag.wider?.text == "zh-Hant")
        #expect(tag.wider?.wider?.text == "zh")
        #expect(tag.wider?.wider?.wider == nil)
        #expect(LanguageTag("en-x-twain")?.wider?.text == "en")
    }

    @Test(arguments: [
        ("it-CH", "Ciao"), ("it", "Ciao"), ("IT-ch-1996", "Ciao"), ("de-CH", "Grüezi"), ("de-AT", "Hallo"),
        ("de", "Hallo"),
        ("fr", "Hello"), ("en", "Hello"), ("ita", "Hello"),
    ])
    func `a text is found by the nearest tag`(language: String, expected: String) throws {
        let entries = try ["it": "Ciao", "de": "Hallo", "de-CH": "Grüezi"].map { name, text in
            (try #require(LanguageTag(name)), text)
        }
        let text = Localized(fallback: "Hello", byLanguage: Dictionary(uniqueKeysWithValues: entries))
        #expect(text[LanguageTag(language)] == expected)
        #expect(text[nil] == "Hello")
    }
}
