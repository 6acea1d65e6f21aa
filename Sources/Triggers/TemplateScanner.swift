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
    private var depth = 0

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
            index += 1
            try check(name(), at: place)
            depth += 1
            guard depth <= TriggerLimits.templateDepthMax else {
                throw PatternProblem(
                    "sections are nested at most \(TriggerLimits.templateDepthMax) deep",
                    character: place
                )
            }
        case "/": depth = max(0, depth - 1)
        case "{", "&":
            index += 1
            try check(name(), at: place)
        default: try check(name(), at: place)
        }
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

    /// Refuses an unknown first word outside of sections; inside, it may be a field of what the section stands for.
    private func check(_ name: String, at place: Int) throws(PatternProblem) {
        let inner = name.split(separator: "(").last.map(String.init) ?? name
        let root = String(inner.prefix { $0 != "." && $0 != ")" })
        guard depth == 0, root != "", !roots.contains(root) else { return }
        throw PatternProblem(
            "there is no '\(root)'; a template has \(roots.sorted().joined(separator: ", "))",
            character: place
        )
    }
}
