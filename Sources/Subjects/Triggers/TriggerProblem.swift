/// Why a row of the trigger table is refused: the column and the mistake.
///
/// - Confinement: any
package struct TriggerProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The column, with the member where it has members: `condition`, `title.it`; empty for the whole row.
    package let field: String
    /// A sentence for people, with the place: `no such column: titel (at character 12)`.
    package let message: String

    package init(field: String, message: String) {
        self.field = field
        self.message = message
    }

    init(_ field: String, _ problem: PatternProblem) { self.init(field: field, message: problem.message) }

    package var description: String { field.isEmpty ? message : "\(field): \(message)" }

    /// The message with a subject: the column, where it begins with its verb.
    package var sentence: String {
        let verbs: Set<Substring> = ["is", "must", "has", "requires", "does"]
        let first = message.split(separator: " ", maxSplits: 1).first
        return !field.isEmpty && first.map(verbs.contains) == true ? "\(field) \(message)" : message
    }
}
