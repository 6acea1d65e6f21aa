import ClientProtocol
package import Execution
import Model
import Store

/// Gives notifications other words where they stand: they keep their ids, and nobody is alerted or has more to read.
///
/// - Confinement: store (the writer's thread)
package struct NotificationEdit {
    private let context: WriteContext

    package init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    /// Gives a group of notifications other words, in the inboxes and on every device.
    ///
    /// - Parameter data: JSON of an object.
    package func rewrite(
        _ group: RenderedTogether, from path: String, as texts: StoredTexts, data: String
    ) throws {
        let json = texts.json
        let stale = try live(group, from: path).filter { $0.texts != json || $0.data != data }
        try transaction.notifications.rewrite(group, from: path, texts: json, data: data)
        for entry in stale {
            guard let edited = try transaction.notifications.find(entry.position) else { continue }
            try announce(edited)
        }
    }

    /// Takes a group of notifications away, with their words: nobody knows how to write them again.
    package func remove(_ group: RenderedTogether, from path: String) throws {
        for entry in try live(group, from: path) {
            try NotificationRemoval(in: context).remove(entry, reason: .retracted)
        }
        try transaction.notifications.rewrite(group, from: path, texts: StoredTexts.none.json, data: "{}")
    }

    private func live(_ group: RenderedTogether, from path: String) throws -> [NotificationEntry] {
        try transaction.notifications.live(from: path, by: group.trigger)
            .filter { $0.trigger == group.trigger && $0.change == group.change }
    }

    /// Brings the words to the devices that have the notification, also on their screens, and into the digests that list it.
    /// A push that waits needs nothing: its words are read when it is sent.
    private func announce(_ entry: NotificationEntry) throws {
        let delivered = try DeliveredNotification(entry)
        let isInbox = try transaction.users.find(entry.stream) != nil
        // The log has the id alone, so that a later edit leaves no earlier words in it.
        try transaction.append(
            Event.notificationEdited(seq: transaction.nextPosition, id: entry.id),
            showing: delivered.editedPayload(at: transaction.nextPosition),
            to: entry.stream, isFollowed: !isInbox, reach: isInbox ? nil : reach(of: entry))
        try PushQueue(in: context).renew(entry)
        var notifier = Notifier(in: context)
        for (reader, subject) in try transaction.digests.telling(of: entry.position, limit: Int.max) {
            guard let user = try transaction.users.find(reader) else { continue }
            try Digest.revise(DigestSubject(subject), of: user, losesWords: true, in: context, &notifier)
        }
    }

    private func reach(of entry: NotificationEntry) throws -> PublicationReach? {
        let reach = PublicationReach(
            others: Array(try transaction.notifications.streams(of: entry).dropFirst()),
            except: try transaction.notifications.readersWithout(entry), zones: entry.zones,
            told: try transaction.entryStreams.told(of: entry.position))
        return reach.others.isEmpty && reach.except.isEmpty && reach.told.isEmpty ? nil : reach
    }
}
