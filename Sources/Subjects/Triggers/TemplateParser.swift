import Model

/// Reads a template: text, and tags from `{{` to `}}`.
///
/// It refuses tags that rows have no use for, sections that are nested too deep, and fields of unknown documents. A
/// comment, and a tag that opens or closes a section, removes its whole line when it stands alone on it.
struct TemplateParser {
    private let characters: [Character]
    private let roots: Set<String>
    private var index = 0
    private var open: [Section] = []

    /// A section that is open.
    private struct Section {
        /// The text of its tag; the closing tag must have the same.
        var written = ""
        let isPlural: Bool
        /// Whether the last category of a plural was read.
        var hasOther = false
    }

    /// The parts of `text`. Its tags outside of sections must begin with one of `roots`.
    ///
    /// - Throws: ``PatternProblem`` with the place.
    static func parse(_ text: String, roots: Set<String>) throws(PatternProblem) -> [TemplatePart] {
        guard text.utf8.count <= TriggerLimits.templateBytesMax else {
            throw PatternProblem("a template has at most \(TriggerLimits.templateBytesMax) bytes")
        }
        var parser = TemplateParser(characters: Array(text), roots: roots)
        return try parser.parts(isNewLine: true)
    }

    /// Nil at the end of the text.
    private var current: Character? { index < characters.count ? characters[index] : nil }

    /// The problem is at the next character, where no other place is given.
    private func problem(_ reason: String, at place: Int? = nil) -> PatternProblem {
        PatternProblem(reason, character: place ?? index + 1)
    }

    /// Reads to the end of the text, or of the innermost open section.
    ///
    /// - Parameter isNewLine: Whether only spaces stand before on the line.
    private mutating func parts(isNewLine: Bool) throws(PatternProblem) -> [TemplatePart] {
        var (parts, isNewLine, depth) = (TemplateParts(), isNewLine, open.count)
        while current != nil {
            if isNewLine { parts.spaces = spaces() }
            let (text, isTag) = try text()
            if !isTag, let lineBreak = current {
                parts.append(text + String(lineBreak))
                index += 1
                isNewLine = true
                continue
            }
            if !text.isEmpty {
                parts.append(text)
                isNewLine = false
            }
            guard isTag else { break }
            let place = index - 1
            switch current {
            case nil: throw problem("this tag is not closed", at: place)
            case ">": throw problem("partials are not available", at: place)
            case "<", "$": throw problem("inheritance is not available", at: place)
            case "=": throw problem("delimiters cannot be changed", at: place)
            case "%": throw problem("pragmas are not available; the content is always text", at: place)
            case "!":
                try skipComment()
                isNewLine = isNewLine && endLine()
            case "#", "^": isNewLine = try section(into: &parts, at: place, isNewLine: isNewLine)
            case "/":
                try close(at: place)
                if !isNewLine || !endLine() { parts.append("") }
                return parts.all
            default:
                parts.append(.variable(try variable(at: place)))
                isNewLine = false
            }
        }
        guard depth == 0 else { throw problem("a section is not closed") }
        parts.append("")
        return parts.all
    }

    // MARK: Tags

    private mutating func variable(at place: Int) throws(PatternProblem) -> TemplateReference {
        let isTriple = current == "{"
        if isTriple || current == "&" { index += 1 }
        let (reference, _) = try reference(at: place)
        guard isTriple else { return reference }
        guard let brace = current else { throw problem("this tag is not closed") }
        guard brace == "}" else { throw problem(Self.noName) }
        index += 1
        return reference
    }

    /// - Returns: whether the opening tag stood alone on its line.
    private mutating func section(
        into parts: inout TemplateParts, at place: Int, isNewLine: Bool
    ) throws(PatternProblem) -> Bool {
        let isInverted = current == "^"
        index += 1
        let name = rawName
        try check(name, at: place)
        if open.last?.isPlural == true { try category(name, isInverted: isInverted, at: place) }
        open.append(Section(isPlural: name.hasPrefix("plural(")))
        guard open.count <= TriggerLimits.templateDepthMax else {
            throw problem("sections are nested at most \(TriggerLimits.templateDepthMax) deep", at: place)
        }
        let (reference, written) = try reference(at: place, isChecked: true)
        open[open.count - 1].written = written
        let isAlone = isNewLine && endLine()
        if !isAlone { parts.append("") }
        parts.add(.section(reference, isInverted: isInverted, try self.parts(isNewLine: isAlone)))
        return isAlone
    }

    /// Closes the innermost open section.
    private mutating func close(at place: Int) throws(PatternProblem) {
        let section = open.popLast()
        if let section, section.isPlural, !section.hasOther {
            throw problem("a plural needs {{#other}} for all other numbers", at: place)
        }
        index += 1
        let start = index + 1
        guard try written() == section?.written else {
            throw problem("this closes another section than the one that is open", at: start)
        }
    }

    /// Checks a section that stands directly in a plural.
    private mutating func category(_ name: String, isInverted: Bool, at place: Int) throws(PatternProblem) {
        guard let category = PluralCategory(rawValue: name), !isInverted else {
            let names = PluralCategory.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem("a plural has the sections \(names)", at: place)
        }
        guard !open[open.count - 1].hasOther else {
            throw problem("{{#other}} is the last section of a plural", at: place)
        }
        open[open.count - 1].hasOther = category == .other
    }

    private mutating func skipComment() throws(PatternProblem) {
        index += 1
        guard let end = characters[index...].firstRange(of: ["}", "}"]) else { throw problem("this tag is not closed") }
        index = end.upperBound
    }
}

// MARK: Names

extension TemplateParser {
    private static let noName = "a tag is a name between {{ and }}"

    /// The text before `}`, without spaces.
    private var rawName: String {
        String(characters[index...].prefix { $0 != "}" }.filter { !$0.isWhitespace })
    }

    /// Reads the rest of a tag, to the end of `}}`.
    private mutating func reference(
        at place: Int, isChecked: Bool = false
    ) throws(PatternProblem) -> (TemplateReference, written: String) {
        if !isChecked { try check(rawName, at: place) }
        let written = try written()
        let parts = written.split(separator: "(", omittingEmptySubsequences: false).map(String.init)
        var functions: [TemplateFunction] = []
        for function in parts.dropLast().reversed() { functions.append(try self.function(function, at: place)) }
        let name = parts.last?.prefix { $0 != ")" } ?? ""
        return (TemplateReference(String(name), functions: functions), written)
    }

    /// Reads a name with its functions, and `}}`.
    private mutating func written() throws(PatternProblem) -> String {
        skip(while: \.isWhitespace)
        let start = index
        skip { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_?()*".contains($0)) }
        let name = String(characters[start..<index])
        skip(while: \.isWhitespace)
        guard index + 1 < characters.count else { throw problem("this tag is not closed") }
        guard characters[index] == "}", characters[index + 1] == "}" else { throw problem(Self.noName) }
        index += 2
        let functions = name.count { $0 == "(" }
        guard name.hasSuffix(String(repeating: ")", count: functions)), name.count(where: { $0 == ")" }) == functions
        else {
            throw problem(Self.noName)
        }
        return name
    }

    /// Refuses unknown functions, and outside of sections an unknown first word. Inside a section, that word may be a
    /// field of the section's value.
    private func check(_ name: String, at place: Int) throws(PatternProblem) {
        let parts = name.split(separator: "(", omittingEmptySubsequences: false).map(String.init)
        for function in parts.dropLast() { _ = try self.function(function, at: place) }
        let inner = parts.last ?? name
        let root = String(inner.prefix { $0 != "." && $0 != ")" })
        guard open.isEmpty, root != "", !roots.contains(root) else { return }
        if root == ReaderZone.name { throw problem(ReaderZone.templateHint, at: place) }
        throw problem("there is no '\(root)'; a template has \(roots.sorted().joined(separator: ", "))", at: place)
    }

    private func function(_ name: String, at place: Int) throws(PatternProblem) -> TemplateFunction {
        try TemplateFunction.read(name, hasZone: roots.contains(ReaderZone.name), at: place)
    }
}

// MARK: Text

extension TemplateParser {
    private mutating func skip(while isWanted: (Character) -> Bool) {
        while let current, isWanted(current) { index += 1 }
    }

    private mutating func spaces() -> String {
        let start = index
        skip { $0 == " " || $0 == "\t" }
        return String(characters[start..<index])
    }

    /// Reads text to the end of the line, or of the next `{{`.
    private mutating func text() throws(PatternProblem) -> (String, isTag: Bool) {
        let start = index
        while let current, current != "\n", current != "\r\n" {
            if current == "{" {
                guard index + 1 < characters.count else { throw problem("this tag is not closed") }
                if characters[index + 1] == "{" {
                    index += 2
                    return (String(characters[start..<index - 2]), true)
                }
            }
            index += 1
        }
        return (String(characters[start..<index]), false)
    }

    /// Reads the end of the line, if only spaces stand before it.
    private mutating func endLine() -> Bool {
        let start = index
        skip { $0 == " " || $0 == "\t" }
        if current?.isNewline == true {
            index += 1
            return true
        }
        defer { index = start }
        return start == characters.count
    }
}

/// The parts read so far; texts in a row become one.
private struct TemplateParts {
    private(set) var all: [TemplatePart] = []
    /// The spaces at the beginning of the line; they count only if the next tag does not stand alone on it.
    var spaces = ""

    /// Appends the spaces, and a text.
    mutating func append(_ text: String) {
        let more = spaces + text
        spaces = ""
        guard !more.isEmpty else { return }
        if case .text(let before) = all.last {
            all[all.count - 1] = .text(before + more)
        } else {
            all.append(.text(more))
        }
    }

    /// Appends the spaces, and a part.
    mutating func append(_ part: TemplatePart) {
        append("")
        add(part)
    }

    /// Appends a part without the spaces before it.
    mutating func add(_ part: TemplatePart) { all.append(part) }
}
