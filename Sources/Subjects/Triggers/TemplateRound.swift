internal import Foundation

/// The values that are the same during one rendering of one template.
struct TemplateRound {
    let budget: RenderBudget
    /// The bytes that a list charges for each element: the length of the template, which is the most static text that
    /// one round can write.
    let cost: Int
    /// The forms of the text's language.
    let forms: LanguageForms
    /// The value of `zone`; nil where the template does not ask for it, or where it is not a time zone.
    let zone: TimeZone?
}
