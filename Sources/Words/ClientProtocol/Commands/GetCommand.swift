package import Model

/// Reads one document.
///
/// - Confinement: any
package struct GetCommand: Command {
    package static let name = "get"

    package var path: DocumentPath
}

extension GetCommand {
    package static let form = CommandForm([.path], ok: CommandForm.document + [.data])

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
    }
}
