import JSON
import Mustache

/// One Mustache template whose output is text as it is, without HTML escaping.
struct TextTemplate: Sendable {
    private let template: MustacheTemplate
    /// The same, where it needs no more than variables.
    private let plain: PlainTemplate?
    /// Bytes of its text: the most of it that one round of a list can put out.
    private let length: Int
    private let forms: LanguageForms

    /// Puts the library into its text mode; the line break belongs to the tag and is not put out.
    private static let textMode = "{{% CONTENT_TYPE: TEXT}}\n"

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - roots: The words a tag outside of sections may begin with.
    ///   - forms: How its language writes numbers and dates.
    /// - Throws: ``PatternProblem`` with the place.
    init(_ text: String, roots: Set<String>, forms: LanguageForms) throws(PatternProblem) {
        self.forms = forms
        try TemplateScanner.scan(text, roots: roots)
        length = text.utf8.count
        plain = PlainTemplate(text)
        do {
            template = try MustacheTemplate(string: Self.textMode + text)
        } catch let error as MustacheTemplate.ParserError {
            throw PatternProblem(
                Self.sentence(error.error),
                character: Self.character(
                    line: error.context.lineNumber - 1,
                    column: error.context.columnNumber,
                    of: text
                )
            )
        } catch {
            throw PatternProblem("this is no Mustache template")
        }
    }

    private static func sentence(_ error: any Error) -> String {
        switch error as? MustacheTemplate.Error {
        case .sectionCloseNameIncorrect: "this closes another section than the one that is open"
        case .expectedSectionEnd: "a section is not closed"
        case .unfinishedName: "a tag is a name between {{ and }}"
        default: "this tag is not closed"
        }
    }

    /// Where line and column (from 1) are in the whole text.
    private static func character(line: Int, column: Int, of text: String) -> Int? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard line >= 1, line <= lines.count else { return nil }
        return lines.prefix(line - 1).reduce(0) { $0 + $1.count + 1 } + column
    }

    /// The text for `values`.
    func render(_ values: JSONObject, budget: RenderBudget) -> String {
        let round = TemplateRound(budget: budget, cost: length, forms: forms)
        return plain?.render(values, round) ?? template.render(TemplateObject(object: values, round: round))
    }
}
