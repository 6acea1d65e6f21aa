package import ClientProtocol
package import JSON
import Model
import Store

/// Begins to log the changes of what somebody wants to watch. Asked for by the server itself, once for each path.
///
/// - Confinement: any
package struct OpenWatchedStream: WriteUseCase {
    let path: Command.WatchedPath

    package init(_ path: Command.WatchedPath) { self.path = path }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        switch path {
        case .document(let path): try transaction.documentStreams.open(document: path, at: transaction.head)
        case .collection(let name): try transaction.documentStreams.open(collection: name, at: transaction.head)
        }
        context.watched.forget()
    }
}
