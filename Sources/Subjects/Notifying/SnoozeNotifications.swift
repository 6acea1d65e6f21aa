package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `snooze`: notifications disappear from every device of the user, and come back at a time as new ones.
///
/// A notification of a topic that many follow stays there, seen by the user, and a copy comes back into the inbox.
/// Snoozing a snoozed notification changes the time; `seen` ends the snooze.
///
/// - Confinement: any
package struct SnoozeNotifications: WriteUseCase {
    let command: SnoozeCommand

    package init(_ command: SnoozeCommand) { self.command = command }

    package func perform(in context: WriteContext) throws -> Answer {
        let transaction = context.transaction
        let id = try context.user().id
        let user = try transaction.reading.storedUser(id)
        let latest = context.now.adding(milliseconds: PreferenceLimits.snoozeMilliseconds)
        guard command.until > context.now, command.until <= latest else {
            throw Refusal.badRequest(field: "until", "must be a time in the future, \(latest.text) at the latest")
        }
        // Everything is checked before the first write: a command that writes and then refuses makes the writer do the
        // whole batch again.
        var fresh: [NotificationEntry] = []
        var again: [Position] = []
        for (position, index) in try NotificationEntry.positions(ofIDs: command.ids) {
            if try transaction.snoozes.contains(position, of: id) {
                again.append(position)
            } else if let entry = try transaction.notifications.find(position),
                try transaction.notifications.isReadable(entry, by: user),
                try !transaction.archived.contains(position, of: id)
            {
                fresh.append(entry)
            } else {
                throw Refusal.noNotification(at: index)
            }
        }
        guard try transaction.snoozes.count(of: id) + fresh.count <= PreferenceLimits.snoozesMax else {
            throw Refusal(.tooMany, "at most \(PreferenceLimits.snoozesMax) notifications can be snoozed", field: "ids")
        }
        for position in again { try transaction.snoozes.move(position, to: command.until, of: id) }
        for entry in fresh { try snooze(entry, user, in: context) }
        transaction.note(.snoozed(user: user.id, count: command.ids.count))
        return Answer(
            unread: try UnreadAnswer(of: user.id, at: transaction.head, in: transaction), until: command.until)
    }

    /// The answer: `unread`, `seq` and `until`.
    package struct Answer: UseCaseAnswer {
        let unread: UnreadAnswer
        let until: Timestamp

        package func write(to reply: inout JSONWriter) {
            unread.write(to: &reply)
            reply.member("until", until)
        }
    }

    private func snooze(_ entry: NotificationEntry, _ user: UserEntry, in context: WriteContext) throws {
        let transaction = context.transaction
        if entry.stream == user.id {
            try NotificationRemoval(in: context).remove(entry, reason: .snoozed, isInbox: true)
        } else {
            if try !transaction.notifications.isSeen(entry.position, by: user) {
                try transaction.topicCounts.willSeeOne(user, at: transaction.head)
            }
            try transaction.notifications.setSeen(entry.position, by: user.id)
            let event = Event.notificationRemoved(seq: transaction.nextPosition, id: entry.id, reason: .snoozed)
            try transaction.append(event, to: user.id)
            context.countsChanged(of: user.id)
            try PushQueue(in: context).takeBack(entry.position, from: user.id)
        }
        try transaction.snoozes.put(entry, until: command.until, of: user.id)
    }
}

extension SnoozeCommand: AnsweredCommand {
    package var work: CommandWork { .write(SnoozeNotifications(self)) }
}
