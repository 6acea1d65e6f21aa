import Model

/// Looks through a template before the Mustache library does: refuses the tags that rows have no use for, sections too
/// deep, and fields of things that do not exist.
///
/// Without `{{= … =}}` the delimiters never change, so tags are found as the library finds them: character by
/// character, `{{` to `}}`.
struct TemplateScanner {
    private let characters: [Character]
    private let roots: Set<String>
    private var index = 0
    private var open: [Section] = []

    /// A section that is open.
    private struct Section {
        let isPlural: Bool
        /// Whether a plural's last category has stood there.
        var hasOther = false
    }

    /// Checks `text`, whose tags outside of sections begin with one of `roots`.
    ///
    /// - Throws: ``PatternProblem`` with the place.
    static func scan(_ text: String, roots: Set<String>) throws(PatternProblem) {
        guard text.utf8.count <= TriggerLimits.templateBytesMax else {
            throw PatternProblem("a template has at most \(TriggerLimits.templateBytesMax) bytes")
        }
        var scanner = TemplateScanner(characters: Array(text), roots: roots)
        while let place = scanner.nextTag() { try scanner.tag(at: place) }
    }

    private init(characters: [Character], roots: Set<String>) {
        self.characters = characters
        self.roots = roots
    }

    /// Moves behind the next `{{`, and says where it begins, counted from 1.
    private mutating func nextTag() -> Int? {
        while index + 1 < characters.count {
            if characters[index] == "{", characters[index + 1] == "{" {
                index += 2
                return index - 1
            }
            index += 1
        }
        return nil
    }

    private mutating func tag(at place: Int) throws(PatternProblem) {
        guard index < characters.count else { throw PatternProblem("this tag is not closed", character: place) }
        switch characters[index] {
        case ">": throw PatternProblem("partials are not available", character: place)
        case "<", "$": throw PatternProblem("inheritance is not available", character: place)
        case "=": throw PatternProblem("delimiters cannot be changed", character: place)
        case "%": throw PatternProblem("pragmas are not available; the content is always text", character: place)
        case "!": skipComment()
        case "#", "^":
            let isInverted = characters[index] == "^"
            index += 1
            let name = name()
            try check(name, at: place)
            if open.last?.isPlural == true { try category(name, isInverted: isInverted, at: place) }
            open.append(Section(isPlural: name.hasPrefix("plural(")))
            guard open.count <= TriggerLimits.templateDepthMax else {
                throw PatternProblem(
                    "sections are nested at most \(TriggerLimits.templateDepthMax) deep",
                    character: place
                )
            }
        case "/":
            guard let closed = open.popLast(), closed.isPlural, !closed.hasOther else { return }
            throw PatternProblem("a plural needs {{#other}} for what else there is", character: place)
        case "{", "&":
            index += 1
            try check(name(), at: place)
        default: try check(name(), at: place)
        }
    }

    /// Checks a section that stands directly in a plural.
    private mutating func category(_ name: String, isInverted: Bool, at place: Int) throws(PatternProblem) {
        guard let category = PluralCategory(rawValue: name), !isInverted else {
            let names = PluralCategory.allCases.map(\.rawValue).joined(separator: ", ")
            throw PatternProblem("a plural has the sections \(names)", character: place)
        }
        guard !open[open.count - 1].hasOther else {
            throw PatternProblem("{{#other}} is the last section of a plural", character: place)
        }
        open[open.count - 1].hasOther = category == .other
    }

    private mutating func skipComment() {
        while index + 1 < characters.count {
            if characters[index] == "}", characters[index + 1] == "}" { return }
            index += 1
        }
    }

    /// What stands before `}`, without spaces.
    private func name() -> String {
        String(characters[index...].prefix { $0 != "}" }.filter { !$0.isWhitespace })
    }

    /// Refuses unknown functions, and an unknown first word outside of sections; inside, it may be a field of what the
    /// section stands for.
    private func check(_ name: String, at place: Int) throws(PatternProblem) {
        let parts = name.split(separator: "(", omittingEmptySubsequences: false).map(String.init)
        for function in parts.dropLast() { try TemplateFunction.check(function, at: place) }
        let inner = parts.last ?? name
        let root = String(inner.prefix { $0 != "." && $0 != ")" })
        guard open.isEmpty, root != "", !roots.contains(root) else { return }
        throw PatternProblem(
            "there is no '\(root)'; a template has \(roots.sorted().joined(separator: ", "))",
            character: place
        )
    }
}
