/// A row of the database holds a value that this version never writes: the file is damaged, or of a later version.
///
/// - Confinement: any
@usableFromInline
package struct StoredValueProblem: Error, Sendable, CustomStringConvertible {
    /// Table, column and row, for the operator's log.
    package let place: String

    package init(place: String) { self.place = place }

    @usableFromInline
    package var description: String { "the database holds an unreadable value in \(place)" }
}
