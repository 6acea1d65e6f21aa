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
}
