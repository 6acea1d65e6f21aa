package import ClientProtocol
import Model

/// A command with its work: the use case that answers it, or what a session does itself.
///
/// The extension that says so stands beside the use case.
///
/// - Confinement: any
package protocol AnsweredCommand: Command {
    /// - Throws: `Refusal` when the use case can tell without the database that it must refuse.
    var work: CommandWork { get throws(Refusal) }
}

extension AnsweredCommand {
    /// Reads the members of a message and makes the work of its command.
    ///
    /// - Throws: `bad-request`, naming the member at fault.
    static func envelope(_ message: CommandMessage, readFrom text: [UInt8]) throws(Refusal) -> CommandEnvelope {
        let command = try Self(message.fields)
        let work: CommandWork
        do throws(Refusal) { work = try command.work } catch { work = .refused(error) }
        return CommandEnvelope(
            id: message.id, name: name, work: work, weight: command.weight,
            heldBytes: Limits.orderBytes + command.heldBytes(ofText: text))
    }
}
