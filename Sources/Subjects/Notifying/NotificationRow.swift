import ClientProtocol
import Execution
import Model
import Store
import Triggers

/// One row of a notification, which is about to be written.
///
/// - Confinement: store (the writer's thread)
struct NotificationRow {
    private let draft: NotificationDraft
    private let place: NotificationPlace
    private let context: WriteContext

    init(_ draft: NotificationDraft, _ place: NotificationPlace, in context: WriteContext) {
        self.draft = draft
        self.place = place
        self.context = context
    }

    private var transaction: WriteTransaction { context.transaction }

    /// Writes the row, and takes away what it replaces.
    ///
    /// - Returns: false when the trigger wrote it for this change before.
    func insert(_ digests: inout WaitingDigests) throws -> Bool {
        guard try !draft.isWritten(in: place.stream, transaction.reading) else { return false }
        let replaced = try replaceAll()
        let counted = draft.zones.isEmpty ? place.followed ?? place.stream : place.stream
        if place.isInbox, let collapse = draft.collapse {
            try transaction.snoozes.cancel(collapse: collapse, of: place.stream)
        }
        let interruption = try Interruption(
            by: draft, replacing: replaced.known, in: counted, place.topic, at: context.now, transaction.reading)
        var entry = entry(interruption)
        let facts = try NotificationFacts(entry, isPersonal: place.isInbox, in: transaction.reading)
        if place.isInbox, entry.silence == nil {
            entry.silence = try digests.reason(against: facts, of: place.stream)
        }
        // Sessions count one up by a row that many read, from counts that must have all before it.
        if !place.isInbox { try context.noteCounts() }
        guard try transaction.notifications.insert(entry) else { return false }
        try noteInterruption(by: entry, of: counted)
        if !place.isInbox, entry.silence == nil {
            try digests.begin(with: facts, readersOf: place.stream, in: draft.zones, notified: place.notified)
            for other in place.others {
                try digests.begin(with: facts, readersOf: other.stream, in: draft.zones, notified: place.notified)
            }
        }
        for reader in place.apart { try transaction.notifications.setSeen(entry.position, by: reader) }
        try transaction.notifications.withhold(entry.position, from: place.withheld)
        let payload = DeliveredNotification(entry, texts: draft.texts).payload
        let decided =
            entry.silence == nil
            ? facts : try NotificationFacts(entry, isPersonal: place.isInbox, in: transaction.reading)
        try transaction.append(
            entry, payload: payload, isFollowed: !place.isInbox, facts: decided,
            reach: place.reach(in: entry.zones))
        if place.isInbox {
            try transaction.users.addUnreadInbox(1, to: place.stream)
            context.countsChanged(of: place.stream)
        }
        try PushQueue(in: context).add(entry, isInbox: place.isInbox, replacing: replaced.all)
        return true
    }

    private func entry(_ interruption: Interruption) -> NotificationEntry {
        var entry = NotificationEntry(
            position: transaction.nextPosition,
            stream: place.stream,
            topic: place.topic,
            kind: draft.kind,
            level: draft.level,
            texts: draft.texts.json,
            data: draft.data,
            at: context.now,
            expires: draft.expires,
            collapse: draft.collapse
        )
        entry.trigger = draft.trigger
        entry.change = draft.change
        entry.broadcast = draft.broadcast
        entry.path = draft.path
        entry.silence = interruption.silence
        entry.origin = interruption.origin
        entry.others = place.others.map(\.text).filter { $0 != place.topic }
        entry.isBesidePersonal = place.isBesidePersonal || !place.withheld.isEmpty
        entry.needsAllMuted = draft.needsAllMuted && !place.others.isEmpty
        entry.isAcrossTopics = draft.isOnceAcrossTopics && !place.isInbox
        if !place.isInbox { entry.zones = draft.zones }
        return entry
    }

    /// Counts the notification for the throttle of its trigger, if the trigger has one and the notification interrupts.
    ///
    /// - Parameter stream: the stream whose interruptions are counted together.
    private func noteInterruption(by entry: NotificationEntry, of stream: StreamID) throws {
        guard let throttle = draft.throttle, let trigger = draft.trigger, draft.level > .passive, entry.silence == nil
        else { return }
        try transaction.triggerStates.noteInterruption(
            entry.position,
            by: trigger,
            of: stream,
            about: draft.throttledSubject,
            until: context.now.adding(milliseconds: throttle.seconds * 1000),
            at: context.now
        )
    }

    /// Takes away what a new notification replaces in all the streams in which it lies.
    ///
    /// - Returns: the newest that it replaces for the readers of its own topic, and all of them.
    private func replaceAll() throws -> (known: NotificationEntry?, all: [NotificationEntry]) {
        guard let collapse = draft.collapse else { return (nil, []) }
        var all = try replace(collapse, in: place.stream, isInbox: place.isInbox)
        var known = all.first
        for other in place.others {
            let replaced = try replace(collapse, in: other.stream, isInbox: false)
            if other.stream == place.followed { known = known ?? replaced.first }
            all += replaced
        }
        return (known, all)
    }

    /// Takes away the live notifications of the stream that a new one with the same `collapse` replaces: one, or one for
    /// each group of time zones that the new one is for.
    ///
    /// - Returns: them, the newest first.
    private func replace(_ collapse: String, in stream: StreamID, isInbox: Bool) throws -> [NotificationEntry] {
        guard let newest = try transaction.notifications.find(collapse: collapse, in: stream) else { return [] }
        var all = [newest]
        if !newest.zones.isEmpty { all = try transaction.notifications.shared(collapse: collapse, in: stream) }
        // Notifications that the same change has brought to other zones stay.
        let replaced = all.filter { earlier in
            earlier.zones.isEmpty || draft.zones.isEmpty || earlier.zones.contains(where: draft.zones.contains)
        }
        let removal = NotificationRemoval(in: context)
        for earlier in replaced {
            try removal.remove(earlier, reason: .replaced, isInbox: isInbox)
            if !isInbox { try removal.removeCopies(of: earlier, reason: .replaced) }
        }
        return replaced
    }
}
