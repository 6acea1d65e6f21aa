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
}

extension RemoveCommand {
    package static let form = CommandForm(
        [.path, .ifVersion, .key], ok: CommandForm.document + CommandForm.documentWrite)

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }
}
