package import ClientProtocol
package import Execution
import Model
import Store

/// `seen`: notifications up to a position, or single ones, are seen; every device of the user gets the event. A single
/// snoozed one does not come back. One that has been taken away meanwhile is skipped.
///
/// - Confinement: any
package struct MarkSeen: WriteUseCase {
    let command: SeenCommand

    package init(_ command: SeenCommand) { self.command = command }

    package func perform(in context: WriteContext) throws -> UnreadAnswer {
        let id = try context.user().id
        let transaction = context.transaction
        let user = try transaction.reading.storedUser(id)
        let position =
            switch command {
            case .upTo(let position): try see(upTo: position, user, in: context)
            case .ids(let ids): try see(ids, user, in: context)
            }
        return try UnreadAnswer(of: id, at: position, in: transaction)
    }

    private func see(upTo position: Position, _ user: UserEntry, in context: WriteContext) throws -> Position {
        let transaction = context.transaction
        guard position <= transaction.head else {
            throw Refusal.badRequest(field: "upTo", "must be at most \(transaction.head.value), the newest position")
        }
        guard position > user.seenUpTo else { return transaction.head }
        try transaction.topicCounts.willSee(upTo: position, user, at: transaction.head)
        let unreadInbox = try transaction.notifications.countUnreadInbox(of: user.id, after: position)
        try transaction.users.setSeen(upTo: position, unreadInbox: unreadInbox, of: user.id)
        try transaction.notifications.deleteSeen(upTo: position, by: user.id)
        try PushQueue(in: context).takeBack(upTo: position, from: user.id)
        return try tell(.upTo(position), user, in: context)
    }

    /// Everything is checked before the first write: a command that writes and then refuses makes the writer do the
    /// whole batch again.
    private func see(_ ids: [String], _ user: UserEntry, in context: WriteContext) throws -> Position {
        let transaction = context.transaction
        var snoozed: [Position] = []
        var fresh: [NotificationEntry] = []
        for (position, index) in try NotificationEntry.positions(ofIDs: ids) {
            if try transaction.snoozes.contains(position, of: user.id) {
                snoozed.append(position)
                continue
            }
            guard let entry = try transaction.notifications.findWritten(at: position),
                try transaction.notifications.isReadable(entry, by: user)
            else { throw Refusal.noNotification(at: index) }
            // It is not an error of the client if one was taken away while the command was on its way.
            guard try !transaction.notifications.isSeen(position, by: user),
                try transaction.notifications.find(position) != nil
            else { continue }
            fresh.append(entry)
        }
        for position in snoozed { try transaction.snoozes.cancel(position, of: user.id) }
        for entry in fresh {
            if entry.stream != user.id { try transaction.topicCounts.willSeeOne(user, at: transaction.head) }
            try transaction.notifications.setSeen(entry.position, by: user.id)
            try PushQueue(in: context).takeBack(entry.position, from: user.id)
        }
        let inbox = fresh.count { $0.stream == user.id }
        if inbox > 0 { try transaction.users.addUnreadInbox(-Int64(inbox), to: user.id) }
        return fresh.isEmpty ? transaction.head : try tell(.ids(fresh.map(\.id)), user, in: context)
    }

    private func tell(_ what: SeenCommand, _ user: UserEntry, in context: WriteContext) throws -> Position {
        let event = Event.notificationSeen(seq: context.transaction.nextPosition, what)
        context.countsChanged(of: user.id)
        return try context.transaction.append(event, to: user.id)
    }
}

extension NotificationEntry {
    /// The positions that ids name, each once, with the place of the id in the list.
    ///
    /// - Throws: `Refusal` naming the first text that is no id.
    static func positions(ofIDs ids: [String]) throws -> [(position: Position, index: Int)] {
        var named: Set<Position> = []
        var positions: [(position: Position, index: Int)] = []
        for (index, id) in ids.enumerated() {
            guard let position = position(ofID: id) else { throw Refusal.noNotification(at: index) }
            if named.insert(position).inserted { positions.append((position, index)) }
        }
        return positions
    }
}

extension Refusal {
    /// The user reads no notification with the id at this place of the list.
    static func noNotification(at index: Int) -> Refusal {
        Refusal(.notFound, "there is no such notification", field: "ids[\(index)]")
    }
}

extension SeenCommand: AnsweredCommand {
    package var work: CommandWork { .write(MarkSeen(self)) }
}
