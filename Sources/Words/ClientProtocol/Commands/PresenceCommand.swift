package import Model

/// Names the people whose presence the client wants to see from now on; an empty list ends it.
///
/// - Confinement: any
package struct PresenceCommand: Command {
    package static let name = "presence"
    package static let isRepeatable = false
    package static let needsSession = true

    package var watch: [UserID]
}

extension PresenceCommand {
    package static let form = CommandForm(
        [.need("watch", .list(.user, 0...Limits.presenceWatchMax))], ok: [.need("online", .list(.user))])

    package init(_ fields: Fields) throws(Refusal) {
        watch = try fields.required("watch").users(0...Limits.presenceWatchMax, isLook: true)
    }

    package var weight: Int { 1 + watch.count / Limits.rowsPerWeight }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + watch.count * Limits.listedIDBytes }
}
