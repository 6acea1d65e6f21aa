package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.update`: sets up a room in another way; moderators set the title and the pace.
///
/// - Confinement: any
package struct UpdateRoom: WriteUseCase {
    let command: RoomUpdateCommand

    package init(_ command: RoomUpdateCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.update")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.title)
        fingerprint.add(command.isOpen.map { $0 ? "open" : "closed" })
        fingerprint.add(command.posting?.rawValue)
        fingerprint.add(command.history?.rawValue)
        fingerprint.add(command.pace)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        try context.reachOthers()
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        try check(standing.member.role)
        var settings = standing.settings
        settings.title = command.title ?? settings.title
        settings.isOpen = command.isOpen ?? settings.isOpen
        settings.posting = command.posting ?? settings.posting
        settings.history = command.history ?? settings.history
        settings.pace = command.pace ?? settings.pace
        guard settings != standing.settings else { return work.unchanged }
        // Earlier messages stay with those that could read them.
        let isShown = settings.history == .all && standing.settings.history != .all
        let shown = isShown ? work.chat.last + 1 : standing.room.shown
        try context.transaction.rooms.set(settings, shown: shown, of: work.chat.id)
        return RoomAnswer(position: try work.append(RoomChange(.updated, by: work.user.name, key: command.key)))
    }

    private func check(_ role: RoomRole) throws {
        guard role >= .moderator else { throw RoomWork.forbidden("only owners and moderators set up a room") }
        guard role < .owner else { return }
        let field =
            command.isOpen != nil ? "open" : command.posting != nil ? "posting" : command.history.map { _ in "history" }
        if let field { throw RoomWork.forbidden("only an owner sets \(field)", field: field) }
    }
}

extension RoomUpdateCommand: AnsweredCommand {
    package var work: CommandWork { .write(UpdateRoom(self)) }
}
