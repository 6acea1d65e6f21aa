package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `react`: gives a message an emoji of the user, or takes it back. Each person gives each emoji once, with U+FE0F or without.
///
/// A reaction is no part of the document that the message is, so no trigger fires on it: a row that notifies of edits
/// would notify of each thumb.
///
/// - Confinement: any
package struct ReactToMessage: WriteUseCase {
    let command: ReactCommand

    package init(_ command: ReactCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("react")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.n)
        fingerprint.add(command.emoji)
        fingerprint.add(command.isOn ? "on" : "off")
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let change = try MessageChange(of: command.n, in: command.chat, context)
        guard change.message.deletedAt == nil else { throw change.deleted }
        // A reaction can be taken back.
        if command.isOn { try change.reachOthers() }
        let (transaction, chat) = (context.transaction, change.chat.id)
        // Two forms of one emoji are one: all see the one that came first.
        let found = try transaction.reactions.find(command.emoji, on: command.n, in: chat, for: change.user.id)
        var shown = command
        shown.emoji = found?.emoji ?? command.emoji
        let (emoji, isThere) = (shown.emoji, found?.isMine ?? false)
        // The request is fulfilled already, at the newest position.
        guard isThere != command.isOn else { return Answer(position: transaction.head) }
        if command.isOn { try checkKinds(change) }
        let position = try change.append(
            Event.reaction(
                seq: transaction.nextPosition, shown, user: change.user.name,
                count: (found?.count ?? 0) + (command.isOn ? 1 : -1), at: context.now))
        if command.isOn {
            try transaction.reactions.insert(emoji, by: change.user.id, to: command.n, in: chat, at: position)
        } else {
            try transaction.reactions.delete(emoji, by: change.user.id, from: command.n, in: chat)
        }
        return Answer(position: position)
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }

    private func checkKinds(_ change: MessageChange) throws {
        let others = try change.context.transaction.reactions.countOtherKinds(
            than: command.emoji, of: command.n, in: change.chat.id)
        guard others < Limits.reactionKindsMax else {
            throw Refusal(
                .tooMany, "a message has at most \(Limits.reactionKindsMax) different reactions", field: "emoji")
        }
    }
}

extension ReactCommand: AnsweredCommand {
    package var work: CommandWork { .write(ReactToMessage(self)) }
}
