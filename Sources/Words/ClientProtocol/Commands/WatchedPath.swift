package import Model

/// The path of a watch: one document, or the documents directly in a collection.
///
/// - Confinement: any
package enum WatchedPath: Sendable, Hashable {
    case document(DocumentPath)
    case collection(String)

    /// The path as it stands on the wire.
    package var text: String {
        switch self {
        case .document(let path): path.text
        case .collection(let path): path
        }
    }
}

extension Field {
    /// A document's path, or a collection's.
    func watchedPath() throws(Refusal) -> WatchedPath {
        let text = try string()
        if let path = try? DocumentPath(text) { return .document(path) }
        do throws(DocumentPath.Problem) {
            return .collection(try DocumentPath.collection(text))
        } catch {
            throw refusal("is neither a document nor a collection: \(error.message)")
        }
    }
}
