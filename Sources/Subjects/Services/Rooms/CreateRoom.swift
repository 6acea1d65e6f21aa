package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.create`: makes a room with the user as its owner, and invites people into it.
///
/// - Confinement: any
package struct CreateRoom: WriteUseCase {
    let command: RoomCreateCommand

    package init(_ command: RoomCreateCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.create")
        fingerprint.add(command.settings.title)
        fingerprint.add(command.settings.isOpen ? "open" : "closed")
        fingerprint.add(command.settings.posting.rawValue)
        fingerprint.add(command.settings.history.rawValue)
        for member in command.members { fingerprint.add(member.text) }
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        try context.reachOthers(.roomCreate)
        let user = try context.user()
        let transaction = context.transaction
        // Positions are never given out twice, so the name is new; and it is the same on every node.
        let name = ChatID.room(String(transaction.nextPosition.value, radix: 36))
        let chat = try transaction.rooms.make(
            name, command.settings, at: transaction.nextPosition, now: context.now)
        let work = RoomWork(chat, by: user, context)
        let made = try work.add([user], as: .owner, .created, isWilling: true, key: command.key)
        var answer = try work.bring(command.members, made: made, key: command.key)
        answer.chat = name
        return answer
    }
}

extension RoomCreateCommand: AnsweredCommand {
    package var work: CommandWork { .write(CreateRoom(self)) }
}
