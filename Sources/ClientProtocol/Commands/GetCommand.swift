package import Model

/// Reads one document.
///
/// - Confinement: any
package struct GetCommand: Command {
    package static let name = "get"

    package var path: DocumentPath

    package init(path: DocumentPath) {
        self.path = path
    }

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
    }
}
