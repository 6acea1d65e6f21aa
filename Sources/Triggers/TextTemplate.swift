internal import Foundation
import JSON

/// One Mustache template whose output is text as it is, without HTML escaping.
///
/// It has variables, sections, inverted sections, comments, and functions; partials, inheritance, other delimiters and
/// pragmas are refused. Whatever it accepts it renders as the library swift-mustache does, which a test holds it to.
struct TextTemplate: Sendable {
    private let parts: [TemplatePart]
    /// Bytes of its text: the most of it that one round of a list can put out.
    private let length: Int
    private let forms: LanguageForms
    /// Whether it shows a date or a time in the zone of its reader.
    private let asksForZone: Bool

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - roots: The words a tag outside of sections may begin with.
    ///   - forms: How its language writes numbers and dates.
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
