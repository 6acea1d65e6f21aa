package import ClientProtocol
package import Execution
import Model

/// A command that a client sent, as its work, with all that is known of it before the work begins.
///
/// - Confinement: any
package struct CommandEnvelope: Sendable {
    /// The reply repeats it; nil when the client wants no reply.
    package let id: RequestID?
    /// Says which fields of the message are ignored; nil for most. An ``id`` has it as well.
    package private(set) var warning: String?
    /// The `type` on the wire.
    package let name: String
    package let work: CommandWork
    /// The cost of the command for the server, without its bytes.
    package let weight: Int
    /// About how many bytes the command takes from when it is read until it is answered.
    package private(set) var heldBytes: Int
    /// The message, where another node may have to read it: for a write on a node that is not alone.
    package private(set) var text: [UInt8]?

    package init(id: RequestID?, name: String, work: CommandWork, weight: Int = 0, heldBytes: Int = 0) {
        self.id = id
        self.name = name
        self.work = work
        self.weight = weight
        self.heldBytes = heldBytes
    }

    /// The same command with its message, if it writes.
    package func keeping(_ text: [UInt8]) -> CommandEnvelope {
        switch work {
        case .write, .device:
            var kept = self
            kept.text = text
            kept.heldBytes += text.count
            return kept
        case .read, .readInLanguage, .refused, .ping, .typing, .hello, .presence, .focus, .watch, .unwatch:
            return self
        }
    }
}

extension CommandEnvelope {
    /// The types of ``CommandTable``, in its order.
    private static let types: [any AnsweredCommand.Type] = CommandTable.types.map { type in
        guard let answered = type as? any AnsweredCommand.Type else {
            preconditionFailure("no use case says that it answers the command '\(type.name)'")
        }
        return answered
    }

    /// The most that a message may weigh beside its bytes: what a command names has a comma before it.
    package static func weightMax(of bytes: [UInt8]) -> Int {
        let commas = bytes.reduce(0) { $1 == UInt8(ascii: ",") ? $0 + 1 : $0 }
        return min(Limits.commandWeightMax, max(Limits.namelessWeightMax, commas + 2))
    }

    /// Reads one command.
    ///
    /// - Parameters:
    ///   - bytes: one whole message.
    ///   - messageBytesMax: longer messages are refused as `too-large`.
    /// - Returns: the command, or a refusal with the command's id whenever that can be found.
    package static func decode(
        _ bytes: [UInt8], messageBytesMax: Int = Limits.messageBytesMax
    ) -> Result<CommandEnvelope, RefusedCommand> {
        do throws(RefusedCommand) {
            let message = try CommandMessage(bytes, messageBytesMax: messageBytesMax)
            do throws(Refusal) {
                var envelope = try types[message.place].envelope(message, readFrom: bytes)
                envelope.warning = message.warning
                return .success(envelope)
            } catch {
                throw RefusedCommand(id: message.id, refusal: error)
            }
        } catch {
            return .failure(error)
        }
    }
}

extension AnsweredCommand {
    /// Reads the members of a message and makes the work of its command.
    ///
    /// - Throws: `bad-request`, naming the member at fault.
    package static func envelope(_ message: CommandMessage, readFrom text: [UInt8]) throws(Refusal) -> CommandEnvelope {
        let command = try Self(message.fields)
        let work: CommandWork
        do throws(Refusal) { work = try command.work } catch { work = .refused(error) }
        return CommandEnvelope(
            id: message.id, name: name, work: work, weight: command.weight,
            heldBytes: Limits.orderBytes + command.heldBytes(ofText: text))
    }
}
