import ClientProtocol
import JSON
import Model

/// Commands of a client: every text gives a command or a refusal with a message. A command is the same in every
/// spelling of its JSON, and its name is the one on the wire.
struct CommandFuzz: FuzzTarget {
    static let name = "Command"

    init() {}

    func check(_ input: [UInt8]) throws {
        // A text that is too large uses another code path to find its id.
        if !input.isEmpty, (try? CommandMessage(input, messageBytesMax: 0)) != nil {
            throw Finding(description: "a message beyond the limit was taken")
        }
        guard let (id, command) = try read(input) else { return }
        let value = try unwrap(
            try? JSONValue(parsing: input, depthMax: Limits.jsonDepthMax), "a command that is no JSON")
        try expect(value["type"]?.stringValue, equals: type(of: command).name, "type")
        let again = try unwrap(try read(value.bytes), "written anew, it is refused")
        try expect(AnyHashable(again.command), equals: AnyHashable(command), "written anew")
        if let id { _ = try JSONValue(parsing: Array(id.json.utf8)) }
    }

    /// - Returns: the command with its id; nil when it is refused.
    /// - Throws: ``Finding`` for a refusal without words.
    private func read(_ input: [UInt8]) throws -> (id: RequestID?, command: any Command)? {
        do {
            let message = try CommandMessage(input)
            return (message.id, try CommandTable.types[message.place].init(message.fields))
        } catch let refused as RefusedCommand {
            try expect(!refused.refusal.message.isEmpty, "a refusal without words")
        } catch let refusal as Refusal {
            try expect(!refusal.message.isEmpty, "a refusal without words")
        }
        return nil
    }
}
