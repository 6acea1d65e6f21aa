/// Asks for the time of the server.
///
/// - Confinement: any
package struct PingCommand: Command {
    package static let name = "ping"
    package static let isRepeatable = false

    package init() {}

    package init(_ fields: Fields) {}
}
