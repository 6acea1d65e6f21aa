/// The value of an open section `{{#plural(…)}}`: the category of the number is true, the other categories are false.
/// `other`, which the parser puts last, is also true when the template has no section for the number's category.
///
/// - Confinement: store
final class TemplatePlural {
    private let category: PluralCategory
    private var isSaid = false

    init(_ category: PluralCategory) { self.category = category }

    /// Nil for names that are not categories: these are looked up outside of the section.
    func isMeant(_ name: String) -> Bool? {
        guard let asked = PluralCategory(rawValue: name) else { return nil }
        guard !isSaid, asked == category || asked == .other else { return false }
        isSaid = true
        return true
    }
}

@available(*, unavailable)
extension TemplatePlural: Sendable {}
