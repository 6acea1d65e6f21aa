package import ClientProtocol
package import Execution

/// A read of documents over HTTP without an admin token: only what the rules open to anyone.
///
/// The path alone decides, so an answer shows nothing that is not open.
///
/// - Confinement: any
package struct ReadOpened<UseCase: ReadUseCase>: ReadUseCase {
    let useCase: UseCase
    let path: WatchedPath
    /// The refusal for a path that the rules do not open.
    let refusal: Refusal

    /// - Parameter path: the path that the use case reads.
    package init(_ useCase: UseCase, of path: WatchedPath, otherwise refusal: Refusal) {
        self.useCase = useCase
        self.path = path
        self.refusal = refusal
    }

    package func perform(in context: ReadContext) throws -> UseCase.Answer {
        guard try context.documentRights.rules.isOpen(path) else { throw refusal }
        return try useCase.perform(in: context)
    }
}
