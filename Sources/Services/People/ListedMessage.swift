import ClientProtocol
import JSON
import Model

/// A message as an entry of a list.
///
/// - Confinement: any
struct ListedMessage: Sendable {
    let position: Position
    let message: ChatMessage
    /// Whether the recommendation was seen; nil for every other message.
    let seen: Bool?

    func write(to reply: inout JSONWriter) {
        reply.beginObject()
        reply.member("seq", position.value)
        message.write(to: &reply)
        if let seen { reply.member("seen", seen) }
        reply.endObject()
    }
}
