package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store
import TriggerExecution
import Triggers

/// `edit`: a message of the user, or the note of a recommendation, gets another text, within the time that the
/// configuration allows.
///
/// - Confinement: any
package struct EditMessage: WriteUseCase {
    let command: EditCommand

    package init(_ command: EditCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("edit")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.n)
        fingerprint.add(command.text)
        fingerprint.add(command.revision)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let change = try MessageChange(of: command.n, in: command.chat, context)
        let (message, transaction) = (change.message, context.transaction)
        try check(change)
        try change.reachOthers()
        // The message has this text already, and everybody knows it.
        guard command.text != message.text else {
            return Answer(position: transaction.head, revision: message.revision)
        }
        var reading = MessageReading(of: change.chat, for: change.user.id, in: transaction.reading)
        var edited = try reading.read(message)
        edited.text = command.text
        edited.key = command.key
        edited.changes = MessageChanges(revision: message.revision + 1, editedAt: context.now)
        let position = try change.append(Event.messageEdited(seq: transaction.nextPosition, edited))
        try transaction.messages.edit(
            message, in: change.chat.id, text: command.text, at: context.now, position: position)
        try fire(change, at: position)
        return Answer(position: position, revision: message.revision + 1)
    }

    /// The answer: `seq` and `rev`.
    package struct Answer: UseCaseAnswer {
        let position: Position
        /// The number of the form that the message has now.
        let revision: Int64

        package func write(to reply: inout JSONWriter) {
            reply.member("seq", position.value)
            reply.member("rev", revision)
        }
    }

    private func check(_ change: MessageChange) throws {
        let message = change.message
        guard message.author == change.user.id else {
            throw Refusal(.forbidden, "only its author edits a message", field: "n")
        }
        guard message.deletedAt == nil else { throw change.deleted }
        let window = change.context.editMilliseconds
        guard change.context.now <= message.at.adding(milliseconds: window) else {
            let span = TimeSpan.text(ofMilliseconds: window)
            throw Refusal(.forbidden, "a message can be edited for \(span), and this one is older", field: "n")
        }
        guard message.revision <= Limits.editsMax else {
            throw Refusal(.forbidden, "a message can be edited \(Limits.editsMax) times, and this one was", field: "n")
        }
        if message.product != nil, command.text.unicodeScalars.count > Limits.noteCharactersMax {
            throw Refusal.badRequest(
                field: "text", "must be 1 to \(Limits.noteCharactersMax) characters in a recommendation")
        }
        guard let revision = command.revision, revision != message.revision else { return }
        throw Self.conflict(with: message, not: revision)
    }

    /// A conflict shows the present text, not the one of then, to a user who may still see it.
    package func refusal(repeating kept: Refusal, in context: WriteContext) throws -> Refusal {
        guard kept.code == .conflict, let revision = command.revision else { return kept }
        let change = try MessageChange(of: command.n, in: command.chat, context)
        try check(change)
        return Self.conflict(with: change.message, not: revision)
    }

    private static func conflict(with message: MessageEntry, not revision: Int64) -> Refusal {
        var refusal = Refusal(
            .conflict, "the message has revision \(message.revision), not \(revision)", field: "rev")
        let text = message.text.map { JSONValue.string($0) } ?? .null
        refusal.found = Refusal.Found(version: message.revision, data: JSONValue.object(["text": text]).bytes)
        return refusal
    }

    private func fire(_ change: MessageChange, at position: Position) throws {
        var firing = TriggerFiring(in: change.context)
        for path in change.paths {
            _ = try firing.fire(.update, path: path, at: position) {
                (
                    try change.document(at: path, text: change.message.text),
                    try change.document(at: path, text: command.text)
                )
            }
            try EditedNotifications(in: change.context).followMessage(
                path, sentAt: change.message.position, editedAt: position,
                as: change.document(at: path, text: command.text))
        }
    }
}

extension EditCommand: AnsweredCommand {
    package var work: CommandWork { .write(EditMessage(self)) }
}
