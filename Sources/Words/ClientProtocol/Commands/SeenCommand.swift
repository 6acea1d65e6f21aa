package import Model

/// Marks notifications as seen: those listed, or all up to a position.
///
/// - Confinement: any
package enum SeenCommand: Command {
    package static let name = "seen"
    package static let form = CommandForm(
        either: [
            [.need("upTo", .integer(0...FieldLimits.integerMax)), .without("ids")], [.ids, .without("upTo")],
        ],
        ok: [.need("unread", .count), .seq])

    case upTo(Position)
    case ids([String])

    package init(_ fields: Fields) throws(Refusal) {
        switch (fields.optional("upTo"), fields.optional("ids")) {
        case (let position?, nil): self = .upTo(try position.position())
        case (nil, let list?): self = .ids(try list.notificationIDs())
        case (nil, nil): throw .badRequest(field: "upTo", "or ids is required")
        case (_?, _?): throw .badRequest(field: "ids", "must not be given together with upTo")
        }
    }

    package var weight: Int { 1 + listed / Limits.idsPerWeight }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + listed * Limits.listedIDBytes }

    private var listed: Int {
        if case .ids(let ids) = self { ids.count } else { 0 }
    }
}
