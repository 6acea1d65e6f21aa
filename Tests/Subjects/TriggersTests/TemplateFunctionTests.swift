import Foundation
import JSON
import Model
import Testing
import Triggers

/// Numbers, dates and counts in different languages.
@Suite struct TemplateFunctionTests {
    /// The text of a template in one language.
    private static func text(_ template: String, in language: String?, _ after: JSONValue) throws -> String {
        let title: JSONValue = language.map { .object([$0: .string(template)]) } ?? .string(template)
        return try wanted(row(("title", title), ("body", "b")), after: after).texts.fallback.title
    }

    private static let languages = [
        "en", "en-GB", "it", "it-CH", "pl", "el", "de", "de-CH", "fr", "es", "ru", "tr", "uk",
    ]
    /// Those of the table of further languages.
    private static let further =
        """
        am az be bg bs ca cs cy da et eu fi fil ga gl ha he hr hu id ig is ja ka kk km ko ky lb lo lt lv mk mn ms \
        mt nb nl nn no pt pt-PT rm ro sk sl so sr sr-Latn sv sw tk ur uz vi xh yue zh zu
        """.split(separator: " ").map(String.init)

    // MARK: Numbers

    @Test(
        arguments: [
            ("it", "1234.5", "1.234,5"), ("it", "1234567.25", "1.234.567,25"), ("it", "-1234", "-1.234"),
            ("it", "0", "0"),
            ("it", "4.5", "4,5"), ("it", "123", "123"), ("en", "1234.5", "1,234.5"), ("de", "1234", "1.234"),
            ("pl", "1234", "1234"), ("pl", "12345.5", "12\u{a0}345,5"), ("es", "1234", "1234"),
            ("es", "12345", "12.345"),
            ("fr", "1234.5", "1\u{202f}234,5"), ("el", "1234.5", "1.234,5"), ("ru", "1234.5", "1\u{a0}234,5"),
            ("tr", "1234.5", "1.234,5"), ("tr", "1234567", "1.234.567"),
            ("it-CH", "1234.5", "1’234.5"), ("it-SM", "1234.5", "1.234,5"), ("ar", "1234.5", "1234.5"),
            ("cs", "1234.5", "1\u{a0}234,5"), ("pt-BR", "1234.5", "1.234,5"),
            (nil, "1234.5", "1,234.5"), ("it", "9223372036854775807", "9.223.372.036.854.775.807"),
            ("it", "1e300", "1e+300"), ("it", "4.0", "4"), ("it", "\"4.50\"", "4,50"), ("it", "\"1234.5\"", "1.234,5"),
            ("it", "\"molto\"", "molto"), ("it", "\"\"", ""),
            ("it", "null", ""), ("it", "[1]", ""), ("it", "true", ""), ("it", "\"1.2.3\"", "1.2.3"),
            ("it", "\"-\"", "-"),
        ] as [(String?, String, String)])
    func `a number is written as its language does`(language: String?, value: String, expected: String) throws {
        let after: JSONValue = ["v": try JSONValue(parsing: Array(value.utf8))]
        #expect(try Self.text("{{number(after.v)}}|", in: language, after) == expected + "|")
        #expect(try Self.text("{{#after}}{{number(v)}}{{/after}}|", in: language, after) == expected + "|")
    }

    @Test(arguments: languages + further)
    func `numbers are those of ICU`(language: String) throws {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: language)
        formatter.numberStyle = .decimal
        // From version to version, ICU leaves four digits ungrouped in more languages; see the table above.
        for number in [0.5, 7.25, 999, 12345.5, 1_234_567, -98_765.125] {
            let value = JSONValue.number(number)
            let expected = try #require(formatter.string(from: NSNumber(value: number)))
            let written = try Self.text("{{number(after.v)}}", in: language, ["v": value])
            #expect(Self.plainSpaces(written) == Self.plainSpaces(expected), "\(language) \(number)")
        }
    }

    @Test(
        arguments: [
            ("tr", "number.2", "1234.5", "1.234,50"), ("de", "number.2", "3", "3,00"),
            ("en", "number.2", "0.005", "0.00"),
            ("en", "number.2", "0.015", "0.02"), ("en", "number.2", "2.665", "2.66"),
            ("en", "number.2", "2.6651", "2.67"),
            ("en", "number.2", "999.995", "1,000.00"), ("en", "number.2", "-0.004", "0.00"),
            ("en", "number.2", "-1.255", "-1.26"), ("en", "number.0", "2.5", "2"), ("en", "number.0", "3.5", "4"),
            ("en", "number.0", "0.5", "0"), ("it", "number.0", "9999.5", "10.000"), ("it", "number.1", "4.0", "4,0"),
            ("it", "number.9", "0.1", "0,100000000"), ("it", "number.2", "\"4.5\"", "4,50"),
            ("it", "number.2", "\"molto\"", "molto"), ("it", "number.2", "null", ""),
            ("it", "number.2", "1e300", "1e+300"),
            ("ar", "number.2", "1234.5", "1234.50"),
            ("en", "number.2", "9223372036854775807", "9,223,372,036,854,775,807.00"),
        ] as [(String, String, String, String)])
    func `a number has the asked number of digits after the point, and halves go to the even digit`(
        language: String,
        function: String,
        value: String,
        expected: String
    ) throws {
        let after: JSONValue = ["v": try JSONValue(parsing: Array(value.utf8))]
        #expect(try Self.text("{{\(function)(after.v)}}|", in: language, after) == expected + "|")
        #expect(try Self.text("{{#after}}{{\(function)(v)}}{{/after}}|", in: language, after) == expected + "|")
    }

    @Test(arguments: languages)
    func `halves are rounded as ICU rounds them`(language: String) throws {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: language)
        formatter.numberStyle = .decimal
        formatter.maximumFractionDigits = 0
        for number in [0.5, 1.5, 2.5, 0.75, 12345.5, 12346.5, 99999.75, -2.5, -3.5] {
            let expected = try #require(formatter.string(from: NSNumber(value: number)))
            let written = try Self.text("{{number.0(after.v)}}", in: language, ["v": .number(number)])
            #expect(Self.plainSpaces(written) == Self.plainSpaces(expected), "\(language) \(number)")
        }
    }

    @Test(arguments: ["number.10", "number.x", "number.", "number.Europe.Rome", "number.2.2"])
    func `a function whose name goes on after number without a digit is refused`(function: String) {
        #expect(throws: TriggerProblem.self) { try Self.text("{{\(function)(after.v)}}", in: "en", ["v": 1]) }
    }

    // MARK: Letters

    @Test(arguments: [
        ("tr", "uppercased", "izmir ılıca", "İZMİR ILICA"), ("tr", "lowercased", "IĞDIR İZMİR", "ığdır izmir"),
        ("tr", "capitalized", "istanbul IŞIK sokağı", "İstanbul Işık Sokağı"),
        ("tr", "capitalized", "izmir'in iyisi", "İzmir'in İyisi"),
        ("en", "uppercased", "izmir", "IZMIR"), ("de", "capitalized", "istanbul", "Istanbul"),
        ("tr", "uppercased", "çöğüş", "ÇÖĞÜŞ"), ("de", "uppercased", "straße", "STRASSE"),
    ])
    func `capitals are those of the language: a Turkish i keeps its dot`(
        language: String,
        function: String,
        value: String,
        expected: String
    ) throws {
        #expect(try Self.text("{{\(function)(after.v)}}", in: language, ["v": .string(value)]) == expected)
    }

    // MARK: Dates

    @Test(
        arguments: [
            ("it", "2026-08-15", "15 agosto 2026"), ("it", "2026-01-01T21:30:00Z", "1 gennaio 2026"),
            ("en", "2026-08-15", "August 15, 2026"), ("en-GB", "2026-08-15", "15 August 2026"),
            ("el", "2026-08-15", "15 Αυγούστου 2026"), ("pl", "2026-08-15", "15 sierpnia 2026"),
            ("de", "2026-08-15", "15. August 2026"), ("fr", "2026-08-15", "15 août 2026"),
            ("es", "2026-08-15", "15 de agosto de 2026"), ("ru", "2026-08-15", "15 августа 2026\u{a0}г."),
            ("uk", "2026-08-15", "15 серпня 2026\u{a0}р."), ("tr", "2026-08-15", "15 Ağustos 2026"),
            ("ja", "2026-08-15", "2026年8月15日"), ("fi", "2026-08-15", "15. elokuuta 2026"),
            ("ar", "2026-08-15", "2026-08-15"),
            ("hu", "2026-08-15", "2026. augusztus 15."), ("pt-AO", "2026-08-15", "15 de agosto de 2026"),
            (nil, "2026-08-15", "August 15, 2026"), ("it", "0800-08-15", "15 agosto 800"),
            ("it", "2026-02-30", "2026-02-30"), ("it", "presto", "presto"), ("it", "", ""),
            ("it", "2026-08-15T23:30:00-05:00", "15 agosto 2026"), ("it", "2026-08-15 23:30:00", "15 agosto 2026"),
        ] as [(String?, String, String)])
    func `a date is written as its language does`(language: String?, value: String, expected: String) throws {
        let after: JSONValue = ["v": .string(value)]
        #expect(try Self.text("{{date(after.v)}}|", in: language, after) == expected + "|")
        #expect(try Self.text("{{#after}}{{date(v)}}{{/after}}|", in: language, after) == expected + "|")
    }

    @Test(arguments: languages + further)
    func `dates and times are those of ICU`(language: String) throws {
        let (dates, times) = (DateFormatter(), DateFormatter())
        for formatter in [dates, times] {
            formatter.locale = Locale(identifier: language)
            formatter.timeZone = TimeZone(identifier: "UTC")
        }
        dates.dateStyle = .long
        times.timeStyle = .short
        for month in 1...12 {
            let day = "2026-\(month < 10 ? "0" : "")\(month)-0\(month % 9 + 1)"
            let value = day + "T\(month < 6 ? "0" : "1")\(month % 10):05:00Z"
            let date = try #require(ISO8601DateFormatter().date(from: value))
            let written = try Self.text("{{date(after.v)}} {{time(after.v)}}", in: language, ["v": .string(value)])
            let expected = "\(dates.string(from: date)) \(times.string(from: date))"
            #expect(Self.plainSpaces(written) == Self.plainSpaces(expected), "\(language) \(value)")
        }
    }

    @Test(arguments: [
        ("it", "2026-08-15T21:30:00Z", "21:30"), ("it", "2026-08-15T09:05", "09:05"),
        ("it", "2026-08-15T09:05:59.5+02:00", "09:05"), ("en", "2026-08-15T21:30:00Z", "9:30\u{a0}PM"),
        ("en", "2026-08-15T00:30", "12:30\u{a0}AM"), ("en", "2026-08-15T12:00", "12:00\u{a0}PM"),
        ("en-GB", "2026-08-15T21:30", "21:30"), ("el", "2026-08-15T21:30", "9:30\u{a0}μμ"),
        ("es", "2026-08-15T09:05", "9:05"), ("tr", "2026-08-15T21:30", "21:30"), ("it", "2026-08-15", ""),
        ("it", "9:30", "9:30"),
        ("ja", "2026-08-15T09:05", "9:05"), ("ar", "2026-08-15T09:05", "09:05"), ("da", "2026-08-15T09:05", "09.05"),
        ("fi", "2026-08-15T09:05", "9.05"), ("ko", "2026-08-15T21:05", "오후 9:05"),
    ])
    func `a time is written as its language does, as the text shows it`(
        language: String,
        value: String,
        expected: String
    ) throws {
        #expect(try Self.text("{{time(after.v)}}|", in: language, ["v": .string(value)]) == expected + "|")
    }

    @Test(arguments: [
        ("2026-08-15T21:30:00Z", "15 agosto 2026 23:30"), ("2026-12-31T23:30:00Z", "1 gennaio 2027 00:30"),
        ("2026-08-15T21:30:00-04:00", "16 agosto 2026 03:30"), ("2026-08-15T21:30", "15 agosto 2026 21:30"),
        ("2026-08-15", "15 agosto 2026 "),
    ])
    func `in a zone stands what its clocks show`(value: String, expected: String) throws {
        let template = "{{date.Europe.Rome(after.v)}} {{time.Europe.Rome(after.v)}}|"
        #expect(try Self.text(template, in: "it", ["v": .string(value)]) == expected + "|")
    }

    @Test func `seconds since 1970 are a time, too`() throws {
        let text = try Self.text("{{date(after.v)}} {{time.UTC(after.v)}}", in: "it", ["v": 1_790_000_000])
        #expect(text == "21 settembre 2026 14:13")
    }

    // MARK: Plurals

    @Test(arguments: [
        ("en", ["1": "one", "0": "other", "2": "other", "1.5": "other", "1.0": "one", "1000000": "other"]),
        ("de", ["1": "one", "0": "other", "2": "other"]),
        ("tr", ["1": "one", "1.0": "one", "2": "other", "0": "other", "1.5": "other", "11": "other"]),
        ("el", ["1": "one", "1.0": "one", "2": "other", "0": "other"]),
        ("it", ["1": "one", "0": "other", "2": "other", "1000000": "many", "1000001": "other", "1.5": "other"]),
        ("es", ["1": "one", "2": "other", "2000000": "many"]),
        ("fr", ["0": "one", "1": "one", "1.5": "one", "2": "other", "1000000": "many"]),
        (
            "pl",
            [
                "1": "one", "2": "few", "4": "few", "5": "many", "0": "many", "11": "many", "12": "many", "14": "many",
                "21": "many", "22": "few", "25": "many", "112": "many", "122": "few", "1.5": "other", "-2": "few",
            ]
        ),
        (
            "ru",
            [
                "1": "one", "2": "few", "5": "many", "0": "many", "11": "many", "21": "one", "22": "few", "25": "many",
                "111": "many", "112": "many", "121": "one", "1.5": "other",
            ]
        ),
        ("uk", ["1": "one", "3": "few", "11": "many", "31": "one", "100": "many"]),
        ("ja", ["1": "other", "2": "other"]), ("en-GB", ["1": "one"]),
    ])
    func `a count has the form of its language`(language: String, expected: [String: String]) throws {
        let sections = ["one", "few", "many", "other"].map { "{{#\($0)}}\($0){{/\($0)}}" }.joined()
        let template = "{{#plural(after.v)}}\(sections){{/plural(after.v)}}"
        for (value, category) in expected {
            let after: JSONValue = ["v": try JSONValue(parsing: Array(value.utf8))]
            #expect(try Self.text(template, in: language, after) == category, "\(value)")
            #expect(try Self.text(template, in: language, ["v": .string(value)]) == category, "'\(value)'")
        }
    }

    @Test func `a form that the template does not have is other`() throws {
        let forms = "{{#one}}a film{{/one}}{{#other}}{{number(after.v)}} films{{/other}}"
        let template = "{{#plural(after.v)}}\(forms){{/plural(after.v)}}"
        #expect(try Self.text(template, in: "pl", ["v": 1]) == "a film")
        #expect(try Self.text(template, in: "pl", ["v": 12_345]) == "12\u{a0}345 films")
        #expect(try Self.text(template, in: "it", ["v": 1_000_000]) == "1.000.000 films")
        #expect(try Self.text(template, in: "it", ["v": "many"]) == "many films")
        #expect(try Self.text(template + "|", in: "it", [:]) == "|")
        let counted = "{{#plural(count(after.v))}}{{#one}}1{{/one}}{{#other}}n{{/other}}{{/plural(count(after.v))}}"
        #expect(try Self.text(counted, in: "it", ["v": ["x"]]) == "1")
    }

    @Test func `each language of a column has its own, with the default for the others`() throws {
        let one = "{{#plural(after.n)}}{{#one}}X film, {{/one}}{{#other}}X films, {{/other}}{{/plural(after.n)}}"
        let title: JSONValue = [
            "en": .string(one.replacing("X", with: "{{number(after.n)}}") + "{{date(after.d)}}"),
            "it": "{{number(after.n)}} film, {{date(after.d)}}",
        ]
        let texts = try wanted(row(("title", title)), after: ["n": 1234, "d": "2026-08-15"]).texts
        #expect(texts[LanguageTag("it-CH")].title == "1.234 film, 15 agosto 2026")
        #expect(texts[LanguageTag("pl")].title == "1,234 films, August 15, 2026")
    }

    @Test func `data and collapse are for programs and know no language`() throws {
        let notification = try wanted(
            row(("collapse", "{{number(after.v)}}"), ("data", ["d": "{{date(after.d)}} {{number(after.v)}}"])),
            after: ["v": 1234.5, "d": "2026-08-15"]
        )
        #expect(notification.collapse == "1234.5")
        #expect(notification.data == ["d": "2026-08-15 1234.5"])
    }

    // MARK: Refusals

    @Test(arguments: [
        ("{{nothing(after.a)}}", "there is no function 'nothing'; a template has ", 1),
        ("a {{#after.l}}{{datum(x)}}{{/after.l}}", "there is no function 'datum'; a template has ", 15),
        ("{{uppercased(nothing(after.a))}}", "there is no function 'nothing'; a template has ", 1),
        (
            "{{number.Europe.Rome(after.a)}}",
            "number takes the digits after the point, 0 to 9, as in number.2(…)", 1
        ),
        (
            "{{time.Europe.Roma(after.a)}}",
            "there is no time zone 'Europe/Roma'; one is written as in time.Europe.Rome(…)", 1
        ),
        (
            "{{#plural(after.a)}}{{#one}}x{{/one}}{{/plural(after.a)}}",
            "a plural needs {{#other}} for all other numbers", 38
        ),
        (
            "{{#plural(after.a)}}{{#other}}x{{/other}}{{#one}}x{{/one}}{{/plural(after.a)}}",
            "{{#other}} is the last section of a plural", 42
        ),
        (
            "{{#plural(after.a)}}{{#singular}}{{/singular}}{{/plural(after.a)}}",
            "a plural has the sections zero, one, two, few, many, other", 21
        ),
        (
            "{{#plural(after.a)}}{{^one}}{{/one}}{{/plural(after.a)}}",
            "a plural has the sections zero, one, two, few, many, other", 21
        ),
    ])
    func `an unknown function is refused with its place`(template: String, message: String, place: Int) {
        let problem = #expect(throws: TriggerProblem.self) {
            try TriggerDefinition(json: row(("body", ["it": .string(template)])))
        }
        #expect(problem?.field == "body.it")
        #expect(problem?.message.hasPrefix(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.message.hasSuffix("(at character \(place))") == true, "\(problem?.message ?? "")")
    }

    /// From version to version, ICU changes its choice of non-breaking spaces. A minus is the sign of keyboards here.
    private static func plainSpaces(_ text: String) -> String {
        text.replacing("\u{202f}", with: " ").replacing("\u{a0}", with: " ").replacing("\u{2009}", with: " ")
            .replacing("\u{2212}", with: "-").replacing("\u{200e}", with: "")
    }
}
