package import Model

/// Blocks a person: the two of them hear nothing of each other any more. Repeating is no error.
///
/// - Confinement: any
package struct BlockCommand: Command {
    package static let name = "block"

    package var user: UserID
    package var key: WriteKey?
}

extension BlockCommand {
    package static let form = CommandForm([.user, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").admittedUserID()
        key = try fields.optional("key")?.key()
    }
}
