import Model

/// The devices of the user that are pushed.
///
/// - Confinement: any
package struct DevicesCommand: Command {
    package static let name = "devices"
}

extension DevicesCommand {
    package init(_ fields: Fields) throws(Refusal) {}
}
