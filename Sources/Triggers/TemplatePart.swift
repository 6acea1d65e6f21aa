/// A piece of a template that was read.
///
/// - Confinement: any
indirect enum TemplatePart: Sendable {
    case text(String)
    case variable(TemplateReference)
    case section(TemplateReference, isInverted: Bool, [TemplatePart])
}

/// What a tag names: a value, and the functions that are applied to it.
///
/// - Confinement: any
struct TemplateReference: Sendable {
    /// Where the first name is looked up.
    enum Start: Sendable {
        /// In the innermost object around the tag that has it.
        case around
        /// In the value of the innermost section: the name begins with a point.
        case here
        /// Nowhere: the functions tell of the round of the innermost list, as in `{{#first()}}`.
        case round
    }

    let start: Start
    let names: [String]
    /// In the order in which they are applied.
    let functions: [TemplateFunction]

    /// - Parameter name: between the brackets of the functions, as in `after.title`.
    init(_ name: String, functions: [TemplateFunction]) {
        self.functions = functions
        names = name.split(separator: ".").map(String.init)
        start = name.isEmpty && !functions.isEmpty ? .round : name.first == "." ? .here : .around
    }
}
