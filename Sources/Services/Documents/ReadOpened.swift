package import ClientProtocol
package import JSON

/// A read of documents by who is no administrator, over HTTP: only what the rules open to anyone.
///
/// It goes by the path alone, so an answer tells nothing of what is not opened.
///
/// - Confinement: any
package struct ReadOpened: ReadUseCase {
    let useCase: any ReadUseCase
    let path: Command.WatchedPath
    /// Why it may not be read, where the rules do not open it.
    let refusal: Refusal

    /// - Parameter path: what the use case reads.
    package init(_ useCase: any ReadUseCase, of path: Command.WatchedPath, otherwise refusal: Refusal) {
        self.useCase = useCase
        self.path = path
        self.refusal = refusal
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        guard try context.documentRights.rules.isOpen(path) else { throw refusal }
        try useCase.perform(in: context, reply: &reply)
    }
}
