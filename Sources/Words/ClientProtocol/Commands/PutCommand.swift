package import JSON
package import Model

/// Writes a whole document.
///
/// - Confinement: any
package struct PutCommand: Command {
    package static let name = "put"

    package var path: DocumentPath
    package var data: JSONObject
    /// Write only if the document has this version; 0: only if there is none.
    package var ifVersion: Int64?
    package var key: WriteKey
}

extension PutCommand {
    package static let form = CommandForm(
        [.path, .data, .ifVersion, .key], ok: CommandForm.document + CommandForm.documentWrite)

    package init(_ fields: Fields) throws(Refusal) {
        path = try fields.required("path").documentPath()
        data = try fields.required("data").tree()
        ifVersion = try fields.optional("ifVersion")?.integer(0...FieldLimits.integerMax)
        key = try fields.required("key").key()
    }

    package func heldBytes(ofText text: [UInt8]) -> Int { JSONValue.treeBytes(ofText: text) }
}
