package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `react`: gives a message an emoji of the user, or takes it back. Each person gives each emoji once.
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
        let (transaction, emoji, chat) = (context.transaction, command.emoji, change.chat.id)
        let isThere = try transaction.reactions.contains(emoji, by: change.user.id, to: command.n, in: chat)
        // The request is fulfilled already, at the newest position.
        guard isThere != command.isOn else { return Answer(position: transaction.head) }
        if command.isOn { try checkKinds(change) }
        let others = try transaction.reactions.count(of: emoji, to: command.n, in: chat)
        let position = try change.append(
            Event.reaction(
                seq: transaction.nextPosition, command, user: change.user.name,
                count: others + (command.isOn ? 1 : -1), at: context.now))
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
