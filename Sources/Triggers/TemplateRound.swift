internal import Foundation

/// What all values of one rendering of one template share.
struct TemplateRound {
    let budget: RenderBudget
    /// Bytes a list charges for each element: the length of the template, which is the most static text one round can
    /// put out.
    let cost: Int
    /// Of the language of the text.
    let forms: LanguageForms
    /// What `zone` stands for; nil where the template does not ask for it, or it is no time zone.
    let zone: TimeZone?
}
