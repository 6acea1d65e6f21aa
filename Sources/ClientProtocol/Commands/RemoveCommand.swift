package import Model

/// Removes a document.
///
/// - Confinement: any
package struct RemoveCommand: Command {
    package static let name = "remove"

    package var path: DocumentPath
    /// Write only if the document has this version; 0: only if there is none.
    package var ifVersion: Int64?
    package var key: WriteKey

    package init(path: DocumentPath, ifVersion: Int64? = nil, key: WriteKey) {
        self.path = path
        self.ifVersion = ifVersion
        self.key = key
    }

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }
}
