import Client
import ClientProtocol
import JSON
import Model

/// A message without a key: it is done at most once, and exactly once if that is acknowledged.
/// - Confinement: the one thread
final class Keyless {
    let user: UserID
    let text: String
    /// The `ok`, when there was one.
    private(set) var reply: JSONValue?
    /// Whether it was refused for good.
    private(set) var isRefused = false

    init(by user: UserID, _ text: String) {
        self.user = user
        self.text = text
    }

    func command(to other: UserID) -> ClientCommand {
        ClientCommand(SendCommand.self, ["to": .string(other.text), "text": .string(text)])
    }

    func take(_ reply: ClientReply) {
        switch reply {
        case .ok(let body): self.reply = body
        case .refused(let refusal): isRefused = refusal.code.errorClass == .permanent
        case .lost: break
        }
    }

    /// - Parameter found: the messages with its text.
    /// - Throws: ``Broken``
    func check(_ found: [JSONValue]) throws {
        guard found.count <= 1 else { throw Broken("\(text), sent without a key, was done \(found.count) times") }
        if isRefused, !found.isEmpty { throw Broken("\(text), sent without a key, was refused, and done") }
        guard let reply else { return }
        guard let message = found.first else { throw Broken("\(text) was acknowledged, and is lost") }
        guard ["chat", "n", "seq"].allSatisfy({ reply[$0] == message[$0] }) else {
            throw Broken("\(text) was acknowledged as \(reply.text), and is \(message.text)")
        }
    }
}
