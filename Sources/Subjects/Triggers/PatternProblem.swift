/// A mistake in the text of a pattern, an expression or a template, with its place.
///
/// - Confinement: any
package struct PatternProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people, without the place.
    package let reason: String
    /// The character where it is wrong, counted from 1; nil when the whole text is wrong.
    package let character: Int?

    package init(_ reason: String, character: Int? = nil) {
        self.reason = reason
        self.character = character
    }

    /// `no such column: titel (at character 12)`.
    package var message: String {
        guard let character else { return reason }
        return "\(reason) (at character \(character))"
    }

    package var description: String { message }
}
