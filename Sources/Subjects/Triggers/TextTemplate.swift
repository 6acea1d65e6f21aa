internal import Foundation
import JSON

/// One Mustache template with plain text as its output, without HTML escaping.
///
/// It has variables, sections, inverted sections, comments, and functions; partials, inheritance, other delimiters and
/// pragmas are refused. A test checks that an accepted template renders as it does in the library swift-mustache.
struct TextTemplate: Sendable {
    private let parts: [TemplatePart]
    /// The length of its text in bytes: the most that one round of a list can write.
    private let length: Int
    private let forms: LanguageForms
    /// Whether it shows a date or a time in the zone of its reader.
    private let asksForZone: Bool

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - roots: The words a tag outside of sections may begin with.
    ///   - forms: The way in which its language writes numbers and dates.
    /// - Throws: ``PatternProblem`` with the place.
    init(_ text: String, roots: Set<String>, forms: LanguageForms) throws(PatternProblem) {
        self.forms = forms
        parts = try TemplateParser.parse(text, roots: roots)
        length = text.utf8.count
        asksForZone = text.contains(".\(ReaderZone.name)")
    }

    /// The text for `values`.
    func render(_ values: JSONObject, budget: RenderBudget) -> String {
        let zone = asksForZone ? values[ReaderZone.name]?.stringValue.flatMap { TimeZone(iana: $0) } : nil
        let round = TemplateRound(budget: budget, cost: length, forms: forms, zone: zone)
        var rendering = TemplateRendering(of: values, round)
        rendering.put(parts)
        return rendering.output
    }

    /// The text for `values`, of which each value of a document fills exactly one part: the marks between the parts are those of
    /// the template, and a value that has one of them could pass for another text.
    ///
    /// - Returns: nil when a value is more than a part.
    func renderParts(_ values: JSONObject, budget: RenderBudget) -> String? {
        guard parts.count > 1 else { return render(values, budget: budget) }
        var marks: Set<Character> = []
        for case .text(let text) in parts { marks.formUnion(text.filter { !$0.isLetter && !$0.isNumber }) }
        let round = TemplateRound(budget: budget, cost: length, forms: forms, zone: nil)
        var text = ""
        for part in parts {
            var rendering = TemplateRendering(of: values, round)
            rendering.put([part])
            if case .variable(let reference) = part, reference.isOfDocument,
                !ReferenceText.isOnePart(rendering.output, between: marks)
            {
                return nil
            }
            text += rendering.output
        }
        return text
    }
}
