package import ClientProtocol
package import Execution

/// Checks that paths may be watched without a token.
///
/// - Confinement: any
package struct CheckOpened: ReadUseCase {
    let paths: [WatchedPath]

    package init(_ paths: [WatchedPath]) { self.paths = paths }

    package func perform(in context: ReadContext) throws -> AnswerFact {
        let rules = try context.documentRights.rules
        for path in paths where !rules.isOpen(path) {
            throw Refusal(.unauthenticated, "\(path.text) is not open to anyone; a token is required", field: "watch")
        }
        return .none
    }
}
