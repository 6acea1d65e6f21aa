import ClientProtocol
import JSON
import Model
import Store
import Triggers

extension WriteContext {
    /// Writes the rows that bring a notification to an audience: one, or one for each member of a chat.
    ///
    /// - Returns: how many were new; a trigger that is replayed for the same change writes none.
    func notify(_ audience: Audience, _ draft: NotificationDraft) throws -> Int {
        guard draft.zones.isEmpty, !draft.isOnceAcrossTopics else { return try notify(anyOf: audience.parts, draft) }
        switch audience {
        case .user(let user):
            let id = try number(of: user)
            return try insert(draft, into: id, topic: Topic(user: user).text, isInbox: true) ? 1 : 0
        case .followers(let topic):
            return try insert(draft, into: stream(of: topic), topic: topic.text, isInbox: false) ? 1 : 0
        case .everyone:
            return try insert(draft, into: .everyone, topic: "everyone", isInbox: false) ? 1 : 0
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return 0 }
            return try transaction.chats.members(of: entry.id).count { member in
                guard let name = try transaction.users.name(of: member.user) else { return false }
                return try insert(draft, into: member.user, topic: Topic(user: name).text, isInbox: true)
            }
        case .several(let audiences): return try notify(anyOf: audiences, draft)
        }
    }

    /// Brings a notification once to each person who is in one of the audiences, and in one of the draft's time zones.
    ///
    /// Who is named, or is in a chat, has one in the inbox. The followers of all topics read one row, which lies in the
    /// streams of all of them; for those who have one in the inbox it counts as seen, and they do not get it.
    private func notify(anyOf audiences: [Audience], _ draft: NotificationDraft) throws -> Int {
        var written = 0
        var inboxes: [StreamID] = []
        var topics: [Spread.Topic] = []
        for audience in audiences {
            if let topic = try followedByMany(audience) {
                // What others in other zones were told is no reason not to tell these.
                if try !draft.zones.isEmpty || !isTold(draft, in: topic.stream) { topics.append(topic) }
                continue
            }
            for inbox in try self.inboxes(of: audience) where !inboxes.contains(inbox) {
                inboxes.append(inbox)
                guard try draft.zones.isEmpty || draft.zones.contains(transaction.users.zone(of: inbox)),
                    let name = try transaction.users.name(of: inbox)
                else { continue }
                if try insert(draft, into: inbox, topic: Topic(user: name).text, isInbox: true) { written += 1 }
            }
        }
        guard let first = topics.first else { return written }
        let apart = try inboxes.filter { inbox in
            try topics.contains { try transaction.follows.since(follower: inbox, stream: $0.stream) != nil }
        }
        var spread = Spread(others: Array(topics.dropFirst()), isBesidePersonal: !inboxes.isEmpty, apart: apart)
        if draft.isOnceAcrossTopics, let trigger = draft.trigger, let collapse = draft.collapse {
            spread.told = try transaction.told(
                by: trigger, of: collapse, in: draft.zones, otherThan: topics.map(\.stream))
        }
        var stream = first.stream
        if !draft.zones.isEmpty || !spread.told.isEmpty {
            // A stream that nobody follows: there may be one row of the same change for each group of zones, and who
            // follows a topic may have been told by another one.
            stream = try transaction.streams.findOrMake(first.text, inZone: draft.zones.first ?? "")
            spread.others = topics
        }
        return try insert(draft, into: stream, topic: first.text, isInbox: false, spread) ? written + 1 : written
    }

    /// What makes a topic's notification one for several, or for some.
    private struct Spread {
        struct Topic {
            let text: String
            let stream: StreamID
        }

        /// The topics in whose streams it lies beside its own.
        var others: [Topic] = []
        /// Whether people are named beside the topics.
        var isBesidePersonal = false
        /// The inboxes of those who read one of its streams, and have one of their own.
        var apart: [StreamID] = []
        /// The streams whose readers were told by those of what has the same collapse.
        var told: [StreamID] = []
    }

    /// The topic of an audience that is not told by inboxes; nil for one that is.
    private func followedByMany(_ audience: Audience) throws -> Spread.Topic? {
        switch audience {
        case .followers(let topic): Spread.Topic(text: topic.text, stream: try stream(of: topic))
        case .everyone: Spread.Topic(text: "everyone", stream: .everyone)
        case .user, .chat, .several: nil
        }
    }

    private func inboxes(of audience: Audience) throws -> [StreamID] {
        switch audience {
        case .user(let user): return [try number(of: user)]
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return [] }
            return try transaction.chats.members(of: entry.id).map(\.user)
        case .followers, .everyone, .several: return []
        }
    }

    /// Whether the trigger has notified the stream of this change before.
    private func isTold(_ draft: NotificationDraft, in stream: StreamID) throws -> Bool {
        guard !draft.isFirst, let trigger = draft.trigger, let change = draft.change else { return false }
        return try transaction.notifications.exists(trigger: trigger, change: change, in: stream)
    }

    /// The stream of a topic, asked for once in a command.
    private func stream(of topic: Topic) throws -> StreamID {
        if let known = streamsOfTopics[topic] { return known }
        let stream = try transaction.streams.findOrMake(topic)
        streamsOfTopics[topic] = stream
        return stream
    }

    /// One row; false when the trigger wrote it for this change before.
    private func insert(
        _ draft: NotificationDraft,
        into stream: StreamID,
        topic: String,
        isInbox: Bool,
        _ spread: Spread = Spread()
    ) throws -> Bool {
        guard try !isTold(draft, in: stream) else { return false }
        let others = spread.others.map(\.stream)
        // Where its own stream is one that nobody follows, it is its first topic's that people had the earlier one by.
        let followed = spread.others.first?.text == topic ? others.first : nil
        var earlier = try replace(by: draft, in: stream, isInbox: isInbox)
        for other in others {
            let replaced = try replace(by: draft, in: other, isInbox: false)
            if other == followed { earlier = earlier ?? replaced }
        }
        let counted = draft.zones.isEmpty ? followed ?? stream : stream
        if isInbox, let collapse = draft.collapse {
            try transaction.snoozes.cancel(collapse: collapse, of: stream)
        }
        let interruption = try transaction.interruption(by: draft, replacing: earlier, in: counted, topic, at: now)
        var entry = NotificationEntry(
            position: transaction.nextPosition,
            stream: stream,
            topic: topic,
            kind: draft.kind,
            level: draft.level,
            texts: draft.texts.json,
            data: draft.data,
            at: now,
            expires: draft.expires,
            collapse: draft.collapse,
            trigger: draft.trigger,
            change: draft.change,
            broadcast: draft.broadcast,
            path: draft.path,
            silence: interruption.silence,
            origin: interruption.origin,
            others: spread.others.map(\.text).filter { $0 != topic },
            isBesidePersonal: spread.isBesidePersonal,
            needsAllMuted: draft.needsAllMuted && !others.isEmpty,
            isAcrossTopics: draft.isOnceAcrossTopics && !isInbox,
            zones: isInbox ? [] : draft.zones
        )
        let facts = try NotificationFacts(entry, isPersonal: isInbox, in: transaction)
        if isInbox, entry.silence == nil { entry.silence = try personalReason(against: facts, of: stream) }
        guard try transaction.notifications.insert(entry) else { return false }
        try noteInterruption(by: draft, entry, of: counted)
        if !isInbox, entry.silence == nil {
            try beginDigests(with: facts, readersOf: stream, in: draft.zones, told: spread.told)
            for other in others {
                try beginDigests(with: facts, readersOf: other, in: draft.zones, told: spread.told)
            }
        }
        for reader in spread.apart { try transaction.notifications.setSeen(entry.position, by: reader) }
        let payload = DeliveredNotification(entry, texts: draft.texts).payload
        let decided = entry.silence == nil ? facts : try NotificationFacts(entry, isPersonal: isInbox, in: transaction)
        let reach =
            others.isEmpty && spread.apart.isEmpty
            ? nil
            : PublicationReach(others: others, except: spread.apart, zones: entry.zones, told: spread.told)
        try transaction.append(entry, payload: payload, isFollowed: !isInbox, facts: decided, reach: reach)
        if isInbox {
            try transaction.users.addUnreadInbox(1, to: stream)
            countsChanged(of: stream)
        }
        return true
    }

    /// Takes away the live notifications of the stream that a new one with the same `collapse` replaces: one, or one for
    /// each group of time zones that the new one is for.
    ///
    /// - Returns: the newest of them.
    @discardableResult
    private func replace(
        by draft: NotificationDraft,
        in stream: StreamID,
        isInbox: Bool
    ) throws -> NotificationEntry? {
        guard let collapse = draft.collapse,
            let newest = try transaction.notifications.find(collapse: collapse, in: stream)
        else { return nil }
        var all = [newest]
        if !newest.zones.isEmpty { all = try transaction.notifications.shared(collapse: collapse, in: stream) }
        // What the same change has told others in their zones stays.
        let replaced = all.filter { earlier in
            earlier.zones.isEmpty || draft.zones.isEmpty || earlier.zones.contains(where: draft.zones.contains)
        }
        for earlier in replaced {
            try remove(earlier, reason: .replaced, isInbox: isInbox)
            if !isInbox { try removeCopies(of: earlier, reason: .replaced) }
        }
        return replaced.first
    }

    /// Takes a notification from every device.
    func remove(_ entry: NotificationEntry, reason: RemovalReason, isInbox: Bool) throws {
        let others = try transaction.notifications.streams(of: entry).dropFirst()
        try transaction.notifications.remove(entry.position, reason: reason.rawValue, at: transaction.nextPosition)
        if reason == .retracted || reason == .replaced { try transaction.digests.revise(without: entry.position) }
        let event = Event.notificationRemoved(seq: transaction.nextPosition, id: entry.id, reason: reason)
        try transaction.append(
            event, to: entry.stream, isFollowed: !isInbox, recountsUnread: !isInbox,
            reach: others.isEmpty ? nil : PublicationReach(others: Array(others)))
        guard isInbox, let user = try transaction.users.find(entry.stream) else { return }
        if try !transaction.notifications.isSeen(entry.position, by: user) {
            try transaction.users.addUnreadInbox(-1, to: user.id)
            countsChanged(of: user.id)
        }
    }
}
