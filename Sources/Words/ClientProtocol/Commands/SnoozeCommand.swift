package import Model

/// Takes notifications off every device and brings them back at a time.
///
/// - Confinement: any
package struct SnoozeCommand: Command {
    package static let name = "snooze"

    /// Without repeats.
    package var ids: [String]
    package var until: Timestamp
}

extension SnoozeCommand {
    package static let form = CommandForm(
        [.ids, .need("until", .time)], ok: [.need("unread", .count), .seq, .need("until", .time)])

    package init(_ fields: Fields) throws(Refusal) {
        var ids: [String] = []
        for id in try fields.required("ids").notificationIDs() where !ids.contains(id) { ids.append(id) }
        self.ids = ids
        until = try fields.required("until").time()
    }

    package var weight: Int { 1 + ids.count / Limits.idsPerWeight }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + ids.count * Limits.listedIDBytes }
}
