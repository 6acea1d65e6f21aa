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
        if case .success = CommandDecoder.decode(input, messageBytesMax: 0), !input.isEmpty {
            throw Finding(description: "a message beyond the limit was taken")
        }
        let value = try? JSONValue(parsing: input, depthMax: Limits.jsonDepthMax)
        switch CommandDecoder.decode(input) {
        case .failure(let refused):
            try expect(!refused.refusal.message.isEmpty, "a refusal without words")
        case .success(let envelope):
            let value = try unwrap(value, "a command that is no JSON")
            try expect(value["type"]?.stringValue, equals: envelope.command.name.rawValue, "type")
            guard case .success(let again) = CommandDecoder.decode(value.bytes) else {
                throw Finding(description: "written anew, it is refused")
            }
            try expect(again.command, equals: envelope.command, "written anew")
            if let id = envelope.id { _ = try JSONValue(parsing: Array(id.json.utf8)) }
        }
    }
}
