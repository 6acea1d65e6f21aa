/// A mistake in the text of a pattern, an expression or a template, with its place.
///
/// - Confinement: any
package struct PatternProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people, without the place.
    package let reason: String
    /// The character where it is wrong, counted from 1; nil when the whole text is wrong.
    package let character: Int?
    /// Whether a field is absent, NULL or empty: then nothing is wrong with the text, and it names nothing.
    let isMissing: Bool

    package init(_ reason: String, character: Int? = nil) {
        self.init(reason, character: character, isMissing: false)
    }

    private init(_ reason: String, character: Int?, isMissing: Bool) {
        self.reason = reason
        self.character = character
        self.isMissing = isMissing
    }

    /// A field that is absent, NULL or empty.
    static func missing(_ reason: String) -> PatternProblem {
        PatternProblem(reason, character: nil, isMissing: true)
    }

    /// `no such column: titel (at character 12)`.
    package var message: String {
        guard let character else { return reason }
        return "\(reason) (at character \(character))"
    }

    package var description: String { message }
}
