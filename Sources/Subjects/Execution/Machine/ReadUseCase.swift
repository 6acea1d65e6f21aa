import Model
import Store

/// A command or a call that only reads. It runs on a reader's thread, on one snapshot.
///
/// - Confinement: any; ``perform(in:)`` on a reader's thread
package protocol ReadUseCase: Sendable {
    associatedtype Answer: UseCaseAnswer

    /// - Throws: `Refusal`, or the database's error.
    func perform(in context: ReadContext) throws -> Answer
}
