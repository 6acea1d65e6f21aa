/// Asks for the time of the server.
///
/// - Confinement: any
package struct PingCommand: Command {
    package static let name = "ping"
    package static let isRepeatable = false
    package static let form = CommandForm([], ok: [.need("time", .time)])

    package init() {}

    package init(_ fields: Fields) {}
}
