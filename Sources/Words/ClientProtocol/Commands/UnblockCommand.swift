package import Model

/// Ends a block; repeating is no error.
///
/// - Confinement: any
package struct UnblockCommand: Command {
    package static let name = "unblock"

    package var user: UserID
    package var key: WriteKey?
}

extension UnblockCommand {
    package static let form = CommandForm([.user, .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        user = try fields.required("user").admittedUserID()
        key = try fields.optional("key")?.key()
    }
}
