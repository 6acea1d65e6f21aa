import JSON
import Model
import Testing
import Triggers

/// The plural forms of all languages of CLDR, and the warnings about forms that a language does not have.
struct PluralLanguageTests {
    private static let template =
        "{{#plural(after.v)}}"
        + ["zero", "one", "two", "few", "many", "other"].map { "{{#\($0)}}\($0){{/\($0)}}" }.joined()
        + "{{/plural(after.v)}}"

    private static func form(_ value: String, in language: String) throws -> String {
        let after: JSONValue = ["v": .string(value)]
        let title: JSONValue = [language: .string(template)]
        return try wanted(row(("title", title), ("body", "b")), after: after).texts.fallback.title
    }

    @Test(arguments: [
        ("ar", "0 1 2 3 10 11 99 100 102 103 111 0.5", "zero one two few few many many other other few many other"),
        ("be", "1 2 5 11 21 22 1.5", "one few many many one few other"),
        ("br", "1 2 3 5 9 11 12 21 1000000", "one two few other few other other one many"),
        ("cs", "1 2 4 5 1.0 1.50", "one few few other one many"),
        ("cy", "0 1 2 3 4 6", "zero one two few other many"),
        ("da", "0 1 2 1.5 0.5 2.5", "other one other one one other"),
        ("fil", "1 4 6 9 10 14", "one other other other one other"),
        ("fr", "0 1 1.5 2 1000000", "one one one other many"),
        ("ga", "1 2 3 7 11", "one two few many other"),
        ("gd", "1 2 3 11 12 13 20", "one two few one two few other"),
        ("he", "1 2 3 0.5", "one two other one"),
        ("hr", "1 2 5 11 21 0.1 0.2", "one few other other one one few"),
        ("ja", "0 1 2", "other other other"),
        ("lt", "1 2 10 11 21 1.5", "one few other other one many"),
        ("lv", "0 1 11 21 10", "zero one zero one zero"),
        ("mk", "1 11 21 2", "one other one other"),
        ("mt", "0 1 2 3 11 20", "few one two few many other"),
        ("pt", "0 1 2", "one one other"), ("pt-PT", "0 1 2", "other one other"), ("pt-BR", "0 1", "one one"),
        ("ro", "0 1 2 19 20 101", "few one few few other few"),
        ("sl", "1 2 3 4 5 101 1.5", "one two few few other one few"),
        ("sr-Latn", "1 3 5", "one few other"), ("uk", "1 3 5 11", "one few many many"),
        ("kw", "0 1 2 3 21 1000", "zero one two few many two"),
        ("si", "0 1 2 0.1", "one one other one"), ("xx", "1 2", "other other"),
        ("es", "12345678901234567890 1000000000000", "other many"),
    ])
    func `a language takes its own forms`(language: String, values: String, forms: String) throws {
        let found = try values.split(separator: " ").map { try Self.form(String($0), in: language) }
        #expect(found.joined(separator: " ") == forms, "\(language)")
    }

    private func doubts(_ title: JSONValue, _ more: (String, JSONValue)...) throws -> [String] {
        var object = try #require(row(("title", title), ("body", "b")).objectValue)
        for (name, value) in more { object[name] = value }
        return LanguageDoubts.of(try TriggerDefinition(json: .object(object)))
    }

    @Test func `a form that a language never takes is doubted, and one that nobody knows`() throws {
        let two = "{{#plural(after.n)}}{{#two}}a pair{{/two}}{{#other}}{{after.n}}{{/other}}{{/plural(after.n)}}"
        #expect(
            try doubts(["en": .string(two), "ar": .string(two)]) == [
                "title.en: en has no plural form two, so its text is never shown; it has one, other"
            ])
        #expect(try doubts(.string(two)).count == 1, "a text without a language counts as English")
        #expect(
            try doubts(["tlh": .string(two)]) == [
                "title.tlh: no plural forms are known for tlh, so the text of other is always shown"
            ])
        #expect(try doubts(["ja": .string(two)]).first?.hasSuffix("it has other") == true)
        let digest: JSONValue = ["title": ["pl": .string(two.replacing("after.n", with: "count"))]]
        #expect(try doubts("fine", ("digest", digest)).count == 1)
        #expect(try doubts("{{#after}}{{#two}}y{{/two}}{{/after}}").isEmpty)
    }

    @Test func `numbers and dates of a language that nobody knows here are doubted`() throws {
        let text = "{{number(after.n)}}"
        #expect(try doubts(["en": .string(text), "fi": .string(text), "zh-Hant-TW": .string(text)]).isEmpty)
        #expect(
            try doubts(["ar": .string(text)]) == [
                "title.ar: it is not known how ar writes numbers, dates and times, so they are shown as 1234.5, "
                    + "2026-08-15 and 21:30"
            ])
        #expect(try doubts(["ar": "{{#after.days}}{{date(.)}}{{/after.days}}"]).count == 1)
        #expect(try doubts(["ar": "{{after.n}}"]).isEmpty)
    }
}
