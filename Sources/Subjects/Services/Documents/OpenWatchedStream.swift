package import ClientProtocol
package import Execution
import Model
import Store

/// Begins to log the changes of a path that somebody wants to watch. The server itself asks for it, once for each path.
///
/// - Confinement: any
package struct OpenWatchedStream: WriteUseCase {
    let path: WatchedPath

    package init(_ path: WatchedPath) { self.path = path }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        switch path {
        case .document(let path): try transaction.documentStreams.open(document: path, at: transaction.head)
        case .collection(let name): try transaction.documentStreams.open(collection: name, at: transaction.head)
        }
        context.watched.forget()
        return .none
    }
}
