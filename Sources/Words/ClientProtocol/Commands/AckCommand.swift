package import Model

/// Says which events this device has safely handled.
///
/// - Confinement: any
package struct AckCommand: Command {
    package static let name = "ack"
    package static let isRepeatable = false
    package static let isOfSession = true

    package var seq: Position
}

extension AckCommand {
    package static let form = CommandForm([.need("seq", .integer(0...FieldLimits.integerMax))], ok: [])

    package init(_ fields: Fields) throws(Refusal) {
        seq = try fields.required("seq").position()
    }
}
