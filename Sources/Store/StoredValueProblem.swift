import GRDB

/// A row of the database holds what this version never writes: a damaged file, or one of a later version.
///
/// - Confinement: any
package struct StoredValueProblem: Error, Sendable, CustomStringConvertible {
    /// Table, column and row, for the operator's log.
    package let place: String

    package init(place: String) { self.place = place }

    package var description: String { "the database holds an unreadable value in \(place)" }
}
