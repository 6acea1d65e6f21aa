import Execution
package import JSON
import Model

/// The answer to a command that changes a room: `seq`, and `chat` where the room is new. Where people were wanted in it, what
/// became of them; a list without anybody is left out.
///
/// - Confinement: any
package struct RoomAnswer: UseCaseAnswer {
    var chat: ChatID?
    var position: Position
    /// Those of the people that are members now.
    var members: [UserID] = []
    /// Those that may accept or decline.
    var invited: [UserID] = []
    /// Those that are neither; the answer gives no reason.
    var leftOut: [UserID] = []

    package func write(to reply: inout JSONWriter) {
        if let chat { reply.member("chat", chat.text) }
        reply.member("seq", position.value)
        for (name, people) in [("members", members), ("invited", invited), ("leftOut", leftOut)] where !people.isEmpty {
            reply.name(name)
            reply.beginArray()
            for person in people { reply.string(person.text) }
            reply.endArray()
        }
    }
}
