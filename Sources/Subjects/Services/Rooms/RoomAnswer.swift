import Execution
package import JSON
import Model

/// The answer to a command that changes a room: `seq`, and `chat` where the room is new.
///
/// - Confinement: any
package struct RoomAnswer: UseCaseAnswer {
    var chat: ChatID?
    let position: Position

    package func write(to reply: inout JSONWriter) {
        if let chat { reply.member("chat", chat.text) }
        reply.member("seq", position.value)
    }
}
