package import ClientProtocol
import Execution
package import JSON
import Model

/// A message as an entry of a list.
///
/// - Confinement: any
package struct ListedMessage: Sendable {
    let position: Position
    package var message: ChatMessage
    /// Whether the recommendation was seen; nil for every other message.
    let seen: Bool?

    /// The parts of its text that answer a question, in UTF-16 code units.
    var marks: [Range<Int>]?

    func write(to reply: inout JSONWriter) {
        reply.beginObject()
        writeMembers(to: &reply)
        reply.endObject()
    }

    /// The members of the entry, into the object that is open.
    package func writeMembers(to reply: inout JSONWriter) {
        reply.member("seq", position.value)
        message.write(to: &reply)
        if let seen { reply.member("seen", seen) }
        if let marks {
            reply.array("marks") { reply in
                for mark in marks {
                    reply.beginArray()
                    reply.integer(Int64(mark.lowerBound))
                    reply.integer(Int64(mark.count))
                    reply.endArray()
                }
            }
        }
    }
}
