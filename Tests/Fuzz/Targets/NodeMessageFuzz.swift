import Cluster
import ThreadMessages

/// Messages between nodes that the journal does not keep. The first byte chooses the kind. An accepted message is written
/// as bytes that are read as the same message; a signal has one form only.
struct NodeMessageFuzz: FuzzTarget {
    static let name = "NodeMessage"

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let kind = input.first else { return }
        let message = Array(input.dropFirst())
        switch kind % 6 {
        case 0: try checkSignal(message)
        case 1: try checkCommands(message)
        case 2: try expectStable(message) { try AnswersMessage($0).bytes }
        case 3: try expectStable(message) { try HeartbeatMessage($0).bytes }
        case 4: try expectStable(message) { try EchoMessage($0).bytes }
        default: try expectStable(message) { try VerifiedMessage($0).bytes }
        }
    }

    private func checkSignal(_ message: [UInt8]) throws {
        guard let (node, signal) = try? NodeSignal.decode(message) else { return }
        try expect(signal.encoded(by: node), equals: message, "a signal written again")
    }

    private func checkCommands(_ message: [UInt8]) throws {
        try expectStable(message) { try CommandsMessage($0).bytes }
        guard let read = try? CommandsMessage(message) else { return }
        for held in read.commands {
            guard let command = try? HandedCommand(held) else { continue }
            let again = try? HandedCommand(CommandsMessage.Held(ticket: held.ticket, bytes: command.bytes))
            try expect(again, equals: command, "a command written again")
        }
    }

    /// A message that was read and written is read and written in the same way ever after.
    private func expectStable(_ message: [UInt8], _ rewritten: ([UInt8]) throws -> [UInt8]) throws {
        guard let once = try? rewritten(message) else { return }
        try expect(try? rewritten(once), equals: once, "written again")
    }
}
