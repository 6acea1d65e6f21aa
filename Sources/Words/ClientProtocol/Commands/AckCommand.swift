package import Model

/// Says which events this device has safely handled.
///
/// - Confinement: any
package struct AckCommand: Command {
    package static let name = "ack"
    package static let isRepeatable = false

    package var seq: Position
}

extension AckCommand {
    package init(_ fields: Fields) throws(Refusal) {
        seq = try fields.required("seq").position()
    }
}
