package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `delete`: a message is taken from everybody. Its number stays; from now on nobody gets its text, neither from the
/// log nor by a push, a webhook or a notification that waits.
///
/// - Confinement: any
package struct DeleteMessage: WriteUseCase {
    let command: DeleteCommand

    package init(_ command: DeleteCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("delete")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.n)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let change = try MessageChange(of: command.n, in: command.chat, context)
        let (message, transaction) = (change.message, context.transaction)
        guard change.mayDelete else {
            let who = change.chat.isRoom ? "its author or a moderator" : "its author"
            throw Refusal(.forbidden, "only \(who) deletes a message", field: "n")
        }
        // The request is fulfilled already, at the newest position.
        guard message.deletedAt == nil else { return Answer(position: transaction.head) }
        return Answer(position: try MessageDeletion(change).perform(by: change.user.name, key: command.key))
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }
}

extension DeleteCommand: AnsweredCommand {
    package var work: CommandWork { .write(DeleteMessage(self)) }
}
