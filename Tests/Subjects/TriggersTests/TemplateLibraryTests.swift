import JSON
import Model
import Mustache
import TestSupport
import Testing
import Triggers

/// Our templates compared with the library swift-mustache: the same templates are refused, the others give the same
/// text.
@Suite struct TemplateLibraryTests {
    private static let document: JSONValue = [
        "title": "the <Matrix> & more", "year": 1999, "zero": 0, "rating": 4.5, "null": nil, "empty": "", "yes": true,
        "no": false, "list": ["a", "bc"], "none": [], "object": ["name": "Lana", "title": "inner"],
        "people": [["name": "Lana", "list": [1, 2]], ["name": "Lilly", "yes": false], ["title": "nobody"]],
    ]

    /// Makes sure that no template is a single tag, which in data is replaced by a whole list or object.
    private static let start = "x\n"

    @Test(arguments: 0..<40)
    func `random templates give what the library gives, and are refused where it refuses them`(seed: UInt64) throws {
        var writer = TemplateWriter(seed: seed)
        for _ in 0..<50 {
            let template = writer.template()
            let ours = Self.ours(template)
            // Only we refuse names that rows do not have, and we do so before other mistakes in the same tag.
            if case .failure(let problem) = ours, problem.reason.hasPrefix("there is no ") { continue }
            #expect(ours == Self.theirs(template), "\(template.debugDescription)")
        }
    }

    /// The text, or the mistake and its place.
    private static func ours(_ template: String) -> Result<String, PatternProblem> {
        do {
            let texts = try wanted(row(("title", "t"), ("data", ["text": .string(start + template)])), after: document)
            return .success(String(texts.data["text"]?.stringValue?.dropFirst(start.count) ?? "nothing"))
        } catch let problem as TriggerProblem {
            return .failure(PatternProblem(problem.message))
        } catch {
            return .failure(PatternProblem("\(error)"))
        }
    }

    private static func theirs(_ template: String) -> Result<String, PatternProblem> {
        do {
            let template = try MustacheTemplate(string: "{{% CONTENT_TYPE: TEXT}}\n" + start + template)
            return .success(String(template.render(LibraryObject(["after": document])).dropFirst(start.count)))
        } catch let problem as MustacheTemplate.ParserError {
            let reason =
                switch problem.error as? MustacheTemplate.Error {
                case .sectionCloseNameIncorrect: "this closes another section than the one that is open"
                case .expectedSectionEnd: "a section is not closed"
                case .unfinishedName: "a tag is a name between {{ and }}"
                default: "this tag is not closed"
                }
            // The first line is the one that puts the library into its text mode.
            let before = (start + template).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .prefix(problem.context.lineNumber - 2).reduce(0) { $0 + $1.count + 1 }
            let place = before + problem.context.columnNumber
            return .failure(PatternProblem(PatternProblem(reason, character: place).message))
        } catch {
            return .failure(PatternProblem("\(error)"))
        }
    }
}

/// An object for the library: it has no text.
private struct LibraryObject: MustacheParent, MustacheCustomRenderable {
    let object: JSONObject
    var renderText: String { "" }
    var isNull: Bool { false }

    init(_ object: JSONObject) { self.object = object }

    func child(named name: String) -> Any? { object[name].map(Self.value) }

    static func value(_ value: JSONValue) -> Any {
        switch value {
        case .null: LibraryText(text: "")
        case .bool(let bool): bool
        case .integer(let number): LibraryNumber(number: Int(number))
        case .number: LibraryText(text: value.text)
        case .string(let text): LibraryText(text: text)
        case .array(let elements): LibraryList(elements: elements.map(Self.value))
        case .object(let object): LibraryObject(object)
        }
    }
}

/// A list without text.
private struct LibraryList: MustacheSequence, MustacheTransformable, MustacheCustomRenderable {
    let elements: [Any]
    var renderText: String { "" }
    var isNull: Bool { elements.isEmpty }

    func makeIterator() -> Array<Any>.Iterator { elements.makeIterator() }

    func transform(_ name: String) -> Any? {
        switch name {
        case "reversed": LibraryList(elements: elements.reversed())
        case "count": LibraryNumber(number: elements.count)
        default: elements.transform(name)
        }
    }
}

/// A text that counts as false in a section when it is empty.
private struct LibraryText: MustacheCustomRenderable, MustacheTransformable {
    let text: String
    var renderText: String { text }
    var isNull: Bool { text.isEmpty }

    func transform(_ name: String) -> Any? {
        switch text.transform(name) {
        case let text as String: LibraryText(text: text)
        case let text as Substring: LibraryText(text: String(text))
        case let other: other
        }
    }
}

private struct LibraryNumber: MustacheCustomRenderable, MustacheTransformable {
    let number: Int
    var renderText: String { String(number) }
    var isNull: Bool { false }

    func transform(_ name: String) -> Any? {
        (number.transform(name)).map { ($0 as? Int).map { LibraryNumber(number: $0) } ?? $0 }
    }
}

/// Writes templates; most are valid, and some have lost a character.
private struct TemplateWriter {
    private var random: SeededRandom
    private var depth = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func template() -> String {
        depth = 0
        // A text ends with a letter: we keep blanks at the end of the last line, and the library drops them.
        var text = pieces() + "."
        if random.next() % 4 == 0,
            let place = text.indices.filter({ "{}/#^!()".contains(text[$0]) }).randomElement(using: &random)
        {
            text.remove(at: place)
        }
        return text
    }

    private mutating func pieces() -> String {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in piece() }.joined()
    }

    private mutating func piece() -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: pick(["a word", " ", "\n", "\n  ", "  two  ", "\t", "} }", "{ a", "\n\n", "é\n", "}}"])
        case 3: "{{!\(pick([" a comment ", "", " two\nlines "]))}}" + pick(["", "\n", " \n", " "])
        case 4...6: pick(["{{\(name())}}", "{{ \(name()) }}", "{{{\(name())}}}", "{{&\(name())}}"])
        default: section()
        }
    }

    private mutating func section() -> String {
        guard depth < 4 else { return "deep" }
        let name = name()
        depth += 1
        defer { depth -= 1 }
        let (before, after) = (pick(["", "", "\n", "\n  "]), pick(["", "", "\n", "  \n"]))
        let inner = pieces()
        return
            "\(before){{\(pick(["#", "#", "^"]))\(name)}}\(after)\(inner)\(pick(["", "\n", "\n "])){{/\(name)}}\(pick(["", "\n"]))"
    }

    private mutating func name() -> String {
        let member = pick([
            "title", "year", "zero", "rating", "null", "empty", "yes", "no", "list", "none", "object", "people",
            "missing",
            "object.name", "object.missing", "title.of",
        ])
        let name = depth == 0 || random.next() % 3 == 0 ? "after.\(member)" : pick([".", ".name", "name", member])
        switch random.next() % 8 {
        case 0:
            return "\(pick(["count", "empty", "first", "last", "reversed", "uppercased", "lowercased"]))(\(name))"
        case 1: return "\(pick(["plusone", "minusone", "odd", "even", "equalzero"]))(\(name))"
        case 2: return "count(reversed(\(name)))"
        case 3 where depth > 0: return pick(["first()", "last()", "index()", "odd()", "even()"])
        default: return name
        }
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
}
