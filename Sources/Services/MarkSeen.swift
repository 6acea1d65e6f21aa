package import ClientProtocol
package import JSON
import Model
import Store

/// `seen`: notifications up to a position, or single ones, are seen; every device of the user hears of it. A single one
/// that was put off does not come back; one that has been taken away meanwhile is passed over.
///
/// - Confinement: any
package struct MarkSeen: WriteUseCase {
    let command: Command.Seen

    package init(_ command: Command.Seen) { self.command = command }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let id = try context.user().id
        let transaction = context.transaction
        guard let user = try transaction.users.find(id) else { throw StoredValueProblem(place: "users.id") }
        let position =
            switch command {
            case .upTo(let position): try see(upTo: position, user, in: context)
            case .ids(let ids): try see(ids, user, in: context)
            }
        guard let updated = try transaction.users.find(id) else { throw StoredValueProblem(place: "users.id") }
        reply.member("unread", try transaction.unread(of: updated).notifications)
        reply.member("seq", position.value)
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
        return try tell(.upTo(position), user, in: context)
    }

    private func see(_ ids: [String], _ user: UserEntry, in context: WriteContext) throws -> Position {
        let transaction = context.transaction
        var seen: [String] = []
        for (index, id) in ids.enumerated() {
            if let position = NotificationEntry.position(ofID: id),
                try transaction.snoozes.cancel(position, of: user.id)
            {
                continue
            }
            guard let position = NotificationEntry.position(ofID: id),
                let entry = try transaction.notifications.findWritten(at: position),
                try transaction.notifications.isReadable(entry, by: user)
            else { throw Refusal(.notFound, "there is no such notification", field: "ids[\(index)]") }
            // What went away while the command was under way is no mistake of the client.
            guard try transaction.notifications.find(position) != nil else { continue }
            guard try !transaction.notifications.isSeen(position, by: user), !seen.contains(id) else { continue }
            if entry.stream == user.id {
                try transaction.users.addUnreadInbox(-1, to: user.id)
            } else {
                try transaction.topicCounts.willSeeOne(user, at: transaction.head)
            }
            try transaction.notifications.setSeen(position, by: user.id)
            seen.append(id)
        }
        return seen.isEmpty ? transaction.head : try tell(.ids(seen), user, in: context)
    }

    private func tell(_ what: Command.Seen, _ user: UserEntry, in context: WriteContext) throws -> Position {
        let event = Event.notificationSeen(seq: context.transaction.nextPosition, what)
        context.countsChanged(of: user.id)
        return try context.transaction.append(event, to: user.id)
    }
}
