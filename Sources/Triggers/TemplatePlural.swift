/// What stands open inside `{{#plural(…)}}`: the category of the number is true, the others are not; `other`, which the
/// parser keeps last, is also true when the template has nothing for the category.
///
/// - Confinement: store
final class TemplatePlural {
    private let category: PluralCategory
    private var isSaid = false

    init(_ category: PluralCategory) { self.category = category }

    /// Nil for names that are no category: they are looked up around the section.
    func isMeant(_ name: String) -> Bool? {
        guard let asked = PluralCategory(rawValue: name) else { return nil }
        guard !isSaid, asked == category || asked == .other else { return false }
        isSaid = true
        return true
    }
}

@available(*, unavailable)
extension TemplatePlural: Sendable {}
