package import ClientProtocol
package import JSON

/// Whether all of some paths may be watched without a token.
///
/// - Confinement: any
package struct CheckOpened: ReadUseCase {
    let paths: [Command.WatchedPath]

    package init(_ paths: [Command.WatchedPath]) { self.paths = paths }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let rules = try context.documentRights.rules
        for path in paths where !rules.isOpen(path) {
            throw Refusal(.unauthenticated, "\(path.text) is not open to anyone; a token is required", field: "watch")
        }
    }
}
