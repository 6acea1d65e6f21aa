/// A piece of a parsed template.
///
/// - Confinement: any
indirect enum TemplatePart: Sendable {
    case text(String)
    case variable(TemplateReference)
    case section(TemplateReference, isInverted: Bool, [TemplatePart])
}

/// The content of a tag: a value, and the functions that are applied to it.
///
/// - Confinement: any
struct TemplateReference: Sendable {
    /// Where the first name is looked up.
    enum Start: Sendable {
        /// In the innermost object around the tag that has this name.
        case around
        /// In the value of the innermost section: the name begins with a point.
        case here
        /// Nowhere: the functions tell about the current round of the innermost list, as in `{{#first()}}`.
        case round
    }

    let start: Start
    let names: [String]
    /// In the order of application.
    let functions: [TemplateFunction]

    /// - Parameter name: The text inside the brackets of the functions, as in `after.title`.
    init(_ name: String, functions: [TemplateFunction]) {
        self.functions = functions
        names = name.split(separator: ".").map(String.init)
        start = name.isEmpty && !functions.isEmpty ? .round : name.first == "." ? .here : .around
    }

    /// Whether somebody wrote the value into a document; names of the path and of the server are not such values.
    var isOfDocument: Bool { start == .around && ["before", "after", "with"].contains(names.first ?? "") }
}
