import JSON
import Model
import Testing

@testable import Triggers

@Suite struct TemplateTests {
    private static let document: JSONValue = [
        "title": "<The \"Matrix\"> & 'more'", "year": 1999, "rating": 4.5, "whole": 4.0, "null": nil, "empty": "",
        "yes": true, "no": false, "list": ["a", "b"], "none": [], "object": ["name": "Lana", "title": "inner"],
        "people": [["name": "Lana"], ["name": "Lilly"]], "most": .integer(.max), "tag": "{{after.year}}",
    ]

    @Test(arguments: [
        ("plain", "plain"), ("{{after.title}}", "<The \"Matrix\"> & 'more'"),
        ("{{{after.title}}}", "<The \"Matrix\"> & 'more'"),
        ("{{&after.title}}", "<The \"Matrix\"> & 'more'"),
        ("{{ after.year }}/{{person}}/{{product}}", "1999/525/movie/603"),
        ("{{now}}", "2026-11-21T10:00:00.000Z"), ("{{after.rating}}", "4.5"),
        ("x{{after.null}}{{after.missing}}{{before.a}}y", "xy"),
        ("{{#after.title}}yes{{/after.title}}{{^after.title}}no{{/after.title}}", "yes"),
        ("{{#after.empty}}yes{{/after.empty}}{{^after.empty}}no{{/after.empty}}", "no"),
        ("{{#after.null}}yes{{/after.null}}{{^after.null}}no{{/after.null}}", "no"),
        ("{{#after.missing}}yes{{/after.missing}}{{^after.missing}}no{{/after.missing}}", "no"),
        ("{{#after.yes}}yes{{/after.yes}}{{^after.no}}no{{/after.no}}", "yesno"),
        ("{{#after.none}}yes{{/after.none}}{{^after.none}}no{{/after.none}}", "no"),
        ("{{#after.list}}[{{.}}]{{/after.list}}", "[a][b]"),
        ("{{#after.people}}{{name}},{{/after.people}}", "Lana,Lilly,"),
        ("{{#after.object}}{{name}} {{title}} {{person}}{{/after.object}}", "Lana inner 525"),
        ("{{plusone(after.most)}}", "-9223372036854775808"), ("{{uppercased(after.object.name)}}", "LANA"),
        ("{{count(after.list)}}", "2"), ("a{{! a comment }}b", "ab"), ("{{after.tag}}", "{{after.year}}"),
        ("x{{after}}{{after.object}}{{after.list}}y", "xy"), ("a } b }} c { d", "a } b }} c { d"),
        ("{{capitalized(after.missing)}}x", "x"), ("\n{{#after.yes}}\nline\n{{/after.yes}}\n", "line"),
        ("{{#after.yes}}{{after.title}}{{/after.yes}}", "<The \"Matrix\"> & 'more'"),
    ])
    func `a template renders a change as text`(template: String, expected: String) throws {
        let notification = try wanted(row(("title", "t"), ("body", .string(template))), after: Self.document)
        #expect(notification.texts.fallback.body == expected)
    }

    @Test(arguments: [
        ("{{>partial}}", "partials are not available (at character 1)"),
        ("a {{<parent}}{{/parent}}", "inheritance is not available (at character 3)"),
        ("{{$block}}{{/block}}", "inheritance is not available (at character 1)"),
        ("{{=<% %>=}}", "delimiters cannot be changed (at character 1)"),
        ("{{% CONTENT_TYPE: HTML}}", "pragmas are not available; the content is always text (at character 1)"),
        ("a {{aftr.title}}", "there is no 'aftr'; a template has after, before, now, person, product (at character 3)"),
        (
            "{{#titel}}{{/titel}}",
            "there is no 'titel'; a template has after, before, now, person, product (at character 1)"
        ),
        (
            "{{uppercased(titel)}}",
            "there is no 'titel'; a template has after, before, now, person, product (at character 1)"
        ),
    ])
    func `a part of the template language that rows do not need is refused`(template: String, message: String) {
        let problem = #expect(throws: TriggerProblem.self) {
            try TriggerDefinition(json: row(("title", .object(["it": .string(template)]))))
        }
        #expect(problem == TriggerProblem(field: "title.it", message: message))
    }

    @Test(arguments: [
        "{{after.title", "{{#after.title}}x", "x{{/after.title}}", "{{#after.a}}{{/after.b}}", "{{after title}}",
        "{{{after.title}}",
        "line\nline {{after.title",
        String(repeating: "{{#after}}", count: 9) + String(repeating: "{{/after}}", count: 9),
        String(repeating: "x", count: 5000), "{{after.a(b}}", "{{!open",
    ])
    func `a broken template is refused`(template: String) {
        let problem = #expect(throws: TriggerProblem.self) {
            try TriggerDefinition(json: row(("body", .string(template))))
        }
        #expect(problem?.field == "body")
    }

    @Test(arguments: [
        ("a\u{0}b\u{7}c\u{1b}[31md\u{7f}\u{9b}", "abc[31md"), ("line\nline\ttab", "line line tab"),
        ("a\u{202e}b\u{2066}c\u{feff}d", "abcd"),
        ("  spaces  ", "spaces"), ("\r\n\r\n x \u{2028}y", "x  y"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("é", "é"),
        (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
        (String(repeating: "x", count: 201), String(repeating: "x", count: 199) + "…"),
        (String(repeating: "x ", count: 150), String(repeating: "x ", count: 99) + "x…"),
    ])
    func `a title is one clean line with an end`(value: String, expected: String) throws {
        let notification = try wanted(row(("title", "{{after.v}}"), ("body", "b")), after: ["v": .string(value)])
        #expect(notification.texts.fallback.title == expected)
    }

    @Test func `a letter with a thousand accents is cut by bytes`() throws {
        let letter = "a" + String(repeating: "\u{301}", count: 30_000)
        let notification = try wanted(row(("title", "x{{after.v}}")), after: ["v": .string(letter)])
        #expect(notification.texts.fallback.title == "x…")
    }

    @Test(arguments: [
        "{{after.title}}", " {{ person }}\n{{product}} ", "{{after.year}}{{after.rating}}{{after.whole}}{{after.yes}}",
        "{{after.null}}|",
        "{{after.list}}{{after.object}}{{after}}|", "{{after.list.count}}{{after.title.x}}|",
        "{{before.title}}|{{now}}",
        "\n\n {{after.title}}\n", "{{after.object.name}}{{after..object..name}}", "{{after.most}} {{after.no}}",
    ])
    func `variables are the same with and without the library`(template: String) throws {
        let data: JSONValue = ["plain": .string(template), "library": .string(template + "{{! not plain }}")]
        let rendered = try wanted(row(("data", data)), after: Self.document).data
        #expect(rendered["plain"] == rendered["library"])
        #expect(rendered["plain"]?.stringValue?.contains("{{") == false)
    }

    @Test(arguments: [
        ("v:{{after.v}}", "one", "v:one"), ("v:{{after.v}}", "one:two", nil), ("v:{{after.v}}", "one/two", "v:one/two"),
        ("a/{{after.v}}", "movie/603", "a/movie/603"), ("a/{{after.v}}", "movie/603/x", nil),
        ("{{after.v}}", "one:two", "one:two"), ("{{product}}:{{after.v}}", "x", "movie/603:x"),
        ("{{product}}:{{after.v}}", "x:y", nil),
    ])
    func `a value of a document is one part of a collapse, so it cannot meet another's`(
        _ template: String, _ value: String, _ collapse: String?
    ) throws {
        let notification = try wanted(row(("collapse", .string(template))), after: ["v": .string(value)])
        #expect(notification.collapse == collapse)
    }

    @Test func `a collapse too long fails instead of meeting another`() throws {
        let answer = try outcome(
            of: row(("collapse", "c:{{after.v}}")),
            after: ["v": .string(String(repeating: "x", count: 511))]
        )
        guard case .failed(let failure) = answer else { throw Unexpected(outcome: answer) }
        #expect(failure.message == "collapse became longer than 512 bytes")
    }

    @Test func `a body keeps its lines`() throws {
        let text = try wanted(row(("body", "{{after.v}}")), after: ["v": "one\r\ntwo\u{85}three\n"]).texts.fallback
        #expect(text.body == "one\ntwo\nthree")
    }

    @Test(arguments: [
        "{{#after.l}}{{#after.l}}{{#after.l}}x{{/after.l}}{{/after.l}}{{/after.l}}",
        "{{#after.l}}{{after.long}}{{/after.l}}", "{{#after.l}}{{.}}{{#after.l}}{{/after.l}}{{/after.l}}",
    ])
    func `lists in lists are stopped`(template: String) throws {
        let list = JSONValue.array((0..<10_000).map { .integer($0) })
        let document: JSONValue = ["l": list, "long": .string(String(repeating: "x", count: 30_000))]
        let answer = try outcome(of: row(("body", .string(template))), after: document)
        #expect(
            answer
                == .failed(
                    TriggerFailure(
                        trigger: "a-trigger", field: "title",
                        message: "the texts became too long; show fewer elements or shorter values")
                )
        )
    }

    @Test func `a notification without title and body fails`() throws {
        let answer = try outcome(of: row(("title", "{{after.missing}}")))
        #expect(
            answer
                == .failed(
                    TriggerFailure(trigger: "a-trigger", field: "title", message: "title and body are empty")
                )
        )
    }

    @Test func `data keeps its shape and renders its texts`() throws {
        let data: JSONValue = [
            "person": "{{person}}", "n": 1, "list": ["{{product}}", true, nil], "o": ["{{x}}": "y"],
        ]
        let notification = try wanted(row(("data", data), ("collapse", "release:{{product}}")), after: [:])
        #expect(notification.data.text == #"{"person":"525","n":1,"list":["movie/603",true,null],"o":{"{{x}}":"y"}}"#)
        #expect(notification.collapse == "release:movie/603")
        #expect(
            throws: TriggerProblem(field: "data.a[1].b", message: "partials are not available (at character 1)")
        ) { try TriggerDefinition(json: row(("data", ["a": ["x", ["b": "{{>p}}"]]]))) }
    }

    @Test(arguments: [
        ("it-CH", "Ciao"), ("it", "Ciao"), ("en-GB", "Hello"), ("fr", "Hello"), ("de-AT", "Servus"), ("de", "Hallo"),
    ])
    func `a reader gets the nearest language, else English`(language: String, expected: String) throws {
        let title: JSONValue = ["it": "Ciao", "en": "Hello", "de": "Hallo", "de-at": "Servus"]
        let notification = try wanted(row(("title", title), ("body", ["de": "Text", "fr": "Texte"])), after: [:])
        #expect(notification.texts[LanguageTag(language)].title == expected)
        #expect(notification.texts[LanguageTag("de-AT")].body == "Text")
        #expect(notification.texts[LanguageTag("it")].body == "Text")
    }

    @Test func `without English the first language stands in`() throws {
        let notification = try wanted(row(("title", ["el": "Γεια", "it": "Ciao"])), after: [:])
        #expect(notification.texts[LanguageTag("fr")].title == "Γεια")
        #expect(notification.texts[nil].title == "Γεια")
    }
}
