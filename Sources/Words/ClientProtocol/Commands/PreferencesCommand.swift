package import JSON
package import Model

/// Reads the preferences, or sets some of them.
///
/// - Confinement: any
package struct PreferencesCommand: Command {
    package static let name = "preferences"

    /// The members to change; the service checks their names and values.
    package var set: JSONObject?
    package var key: WriteKey?
}

extension PreferencesCommand {
    package static let form = CommandForm(
        [.may("set", SharedForms.preferencesPatch), .anyKey], ok: SharedForms.preferenceMembers)

    package init(_ fields: Fields) throws(Refusal) {
        set = try fields.optional("set")?.tree()
        key = try fields.optional("key")?.key()
    }

    package func heldBytes(ofText text: [UInt8]) -> Int {
        set == nil ? text.count : JSONValue.treeBytes(ofText: text)
    }
}
