package import JSON
package import Model

/// Changes members of a document (RFC 7396).
///
/// - Confinement: any
package struct PatchCommand: Command {
    package static let name = "patch"

    package var path: DocumentPath
    package var data: JSONObject
    /// Write only if the document has this version; 0: only if there is none.
    package var ifVersion: Int64?
    package var key: WriteKey
}

extension PatchCommand {
    package static let form = CommandForm(
        [.path, .data, .ifVersion, .key], ok: CommandForm.document + CommandForm.documentWrite + [.may("data", .data)])

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        data = try fields.required("data").tree()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }

    /// The server reads the document first.
    package var weight: Int { 2 }

    package func heldBytes(ofText text: [UInt8]) -> Int { JSONValue.treeBytes(ofText: text) }
}
