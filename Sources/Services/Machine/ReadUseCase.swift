package import JSON
import Model
import Store

/// Something that only reads; runs on a reader's thread, on one snapshot.
///
/// - Confinement: any; ``perform(in:)`` on a reader's thread
package protocol ReadUseCase: Sendable {
    /// - Returns: writes the members of the reply's `ok` object.
    /// - Throws: `Refusal`, or the database's error.
    func perform(in context: ReadContext, reply: inout JSONWriter) throws
}
