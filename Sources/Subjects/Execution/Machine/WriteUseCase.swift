package import ClientProtocol
package import Model
package import Store

/// A command of the contract, or a call of the admin API, that changes state.
///
/// The initializer checks what can be checked without the database. ``perform(in:)`` runs on the writer's thread.
///
/// - Confinement: any; ``perform(in:)`` on the writer's thread
package protocol WriteUseCase: Sendable {
    associatedtype Answer: UseCaseAnswer

    /// The client's own id of this write; nil when the write may be done twice.
    var key: WriteKey? { get }

    /// The newest position that the device of the session has handled; nil when the write does not say it.
    var handledPosition: Position? { get }

    /// Adds everything that distinguishes this write from another under the same key.
    func addContent(to fingerprint: inout Fingerprint)

    /// The answer to this write when its key says that it was done before.
    ///
    /// - Parameter kept: the reply that was kept with the key.
    func answer(repeating kept: KeptReply, in transaction: WriteTransaction) throws -> EncodedAnswer

    /// The refusal of this write when its key says that it was refused before.
    ///
    /// - Parameter kept: with the code of then, and nothing else of it.
    /// - Throws: another refusal of the same write.
    func refusal(repeating kept: Refusal, in context: WriteContext) throws -> Refusal

    /// Checks and writes.
    ///
    /// It must be repeatable: the writer may run it, undo all that it wrote, and run it again, because another command of
    /// the same commit has written something and was then refused. Both runs must answer the same, write the same rows,
    /// and leave the same steps. Therefore it depends on nothing but the use case itself and the context: the time comes
    /// with the context, and random values are drawn by the initializer. And it changes nothing outside of the
    /// transaction but what the state machine takes back, see ``StateMachine/revert()``.
    ///
    /// - Throws: `Refusal`, after which nothing of it is written; or the database's error.
    func perform(in context: WriteContext) throws -> Answer
}

extension WriteUseCase {
    package var key: WriteKey? { nil }
    package var handledPosition: Position? { nil }
    package func addContent(to fingerprint: inout Fingerprint) {}
    package func answer(repeating kept: KeptReply, in transaction: WriteTransaction) throws -> EncodedAnswer {
        EncodedAnswer(kept.json)
    }
    package func refusal(repeating kept: Refusal, in context: WriteContext) throws -> Refusal { kept }
}
