import ClientProtocol
package import Execution
import JSON
package import Model
import Store
package import Triggers

/// Writes the rows that bring notifications to their audiences, for one command.
///
/// It remembers what it has looked up, because a batch may notify hundreds of times. When a savepoint is undone, its owner
/// calls ``forgetStreams()``.
///
/// - Confinement: store (the writer's thread)
package struct Notifier {
    private let context: WriteContext
    /// The digests that the notifications may begin.
    var digests: WaitingDigests
    /// The streams of topics that were looked up already.
    private var streams: [Topic: StreamID] = [:]

    package init(in context: WriteContext) {
        self.context = context
        digests = WaitingDigests(in: context)
    }

    private var transaction: WriteTransaction { context.transaction }

    /// Forgets the streams that it has looked up: a savepoint that was undone may have made some of them.
    package mutating func forgetStreams() { streams.removeAll() }

    /// The user's number, which is also the stream of the inbox. A user that was not known yet begins with the configured
    /// preferences.
    ///
    /// - Parameter field: that has the name.
    /// - Throws: `Refusal` (`not-found`) for the name of an erased person.
    package mutating func inbox(of name: UserID, field: String = "user") throws -> StreamID {
        guard let id = try inboxUnlessErased(of: name) else { throw Refusal.noUser(name, field: field) }
        return id
    }

    /// The same for somebody whom a command of a user names. Somebody may be named before ever coming, and some in a day alone:
    /// else invented names fill the tables.
    ///
    /// - Throws: `Refusal`; also `rate-limited`.
    package mutating func inbox(ofNamed name: UserID, field: String = "user") throws -> StreamID {
        if try transaction.users.number(of: name) == nil { try context.count(.newName) }
        return try inbox(of: name, field: field)
    }

    /// The same; nil for an erased person, so that no write of others fails because of one.
    private mutating func inboxUnlessErased(of name: UserID) throws -> StreamID? {
        if let id = try transaction.users.number(of: name) {
            return try name.isPseudonym || transaction.erasures.isAtWork(name) ? nil : id
        }
        guard try !transaction.isErased(name, at: context.now) else { return nil }
        let id = try transaction.users.findOrMake(name, at: transaction.head)
        guard let defaults = try transaction.preferences.defaults() else { return id }
        try transaction.preferences.begin(with: defaults, of: id)
        if let preferences = DeliveryPreferences.stored(defaults) {
            try digests.arrange(of: id, preferences, before: nil)
        }
        return id
    }

    /// Writes the rows that bring a notification to an audience: one, or one for each member of a chat.
    ///
    /// - Returns: how many rows are new. A trigger that runs again on the same change writes none.
    package mutating func notify(_ audience: Audience, _ draft: NotificationDraft) throws -> Int {
        guard draft.zones.isEmpty, !draft.isOnceAcrossTopics else { return try notify(anyOf: audience.parts, draft) }
        switch audience {
        case .user(let user):
            guard let inbox = try inboxUnlessErased(of: user) else { return 0 }
            return try insert(draft, NotificationPlace(inbox: inbox, of: user)) ? 1 : 0
        case .followers(let topic):
            if try isLeft(topic) { return 0 }
            return try insert(draft, NotificationPlace(stream: stream(of: topic), topic: topic.text)) ? 1 : 0
        case .everyone: return try insert(draft, NotificationPlace(stream: .everyone, topic: "everyone")) ? 1 : 0
        case .chat(let chat):
            return try inboxes(of: .chat(chat)).count { inbox in
                guard let name = try transaction.users.name(of: inbox) else { return false }
                return try insert(draft, NotificationPlace(inbox: inbox, of: name))
            }
        case .several(let audiences): return try notify(anyOf: audiences, draft)
        }
    }

    /// Brings a notification once to each person who is in one of the audiences, and in one of the draft's time zones.
    ///
    /// People who are named, or are in a chat, get a row in the inbox. The followers of all topics read one row, which lies
    /// in the streams of all the topics. Followers who also have a row in the inbox do not get the shared row: it counts
    /// as seen by them.
    private mutating func notify(anyOf audiences: [Audience], _ draft: NotificationDraft) throws -> Int {
        var written = 0
        var inboxes: [StreamID] = []
        var topics: [NotificationPlace.TopicStream] = []
        for audience in audiences {
            if let topic = try followedByMany(audience) {
                // A row for other zones is no reason to leave these out.
                if try !draft.zones.isEmpty || !draft.isWritten(in: topic.stream, transaction.reading) {
                    topics.append(topic)
                }
                continue
            }
            for inbox in try self.inboxes(of: audience) where !inboxes.contains(inbox) {
                inboxes.append(inbox)
                guard try draft.zones.isEmpty || draft.zones.contains(transaction.users.zone(of: inbox)),
                    let name = try transaction.users.name(of: inbox)
                else { continue }
                if try insert(draft, NotificationPlace(inbox: inbox, of: name)) { written += 1 }
            }
        }
        guard let first = topics.first else { return written }
        var place = NotificationPlace(stream: first.stream, topic: first.text)
        place.others = Array(topics.dropFirst())
        place.isBesidePersonal = !inboxes.isEmpty
        place.apart = try inboxes.filter { inbox in
            try topics.contains { try transaction.follows.since(follower: inbox, stream: $0.stream) != nil }
        }
        if draft.isOnceAcrossTopics, let trigger = draft.trigger, let collapse = draft.collapse {
            place.notified = try transaction.reading.told(
                by: trigger, of: collapse, in: draft.zones, otherThan: topics.map(\.stream))
        }
        if !draft.zones.isEmpty || !place.notified.isEmpty {
            // A stream without followers: one change may have a row for each group of zones, and another topic may have
            // notified some followers of this topic.
            place.stream = try transaction.streams.findOrMake(first.text, inZone: draft.zones.first ?? "")
            place.others = topics
        }
        return try insert(draft, place) ? written + 1 : written
    }

    /// The topic of an audience that reads a shared row; nil for an audience whose people have rows in their inboxes.
    private mutating func followedByMany(_ audience: Audience) throws -> NotificationPlace.TopicStream? {
        switch audience {
        case .followers(let topic):
            if try isLeft(topic) { return nil }
            return NotificationPlace.TopicStream(text: topic.text, stream: try stream(of: topic))
        case .everyone: return NotificationPlace.TopicStream(text: "everyone", stream: .everyone)
        case .user, .chat, .several: return nil
        }
    }

    private mutating func inboxes(of audience: Audience) throws -> [StreamID] {
        switch audience {
        case .user(let user): return try inboxUnlessErased(of: user).map { [$0] } ?? []
        case .chat(let chat):
            guard let entry = try transaction.chats.find(chat) else { return [] }
            let members = try transaction.chats.members(of: entry.id).map(\.user)
                .filter { try !transaction.erasures.isErased($0) }
            // In a room nobody is notified of what they have written.
            guard entry.isRoom, case .user(let writer, _, _) = context.actor else { return members }
            return members.filter { $0 != writer }
        case .followers, .everyone, .several: return []
        }
    }

    /// Whether the topic is somebody whose erasure is at work: nobody follows them any more.
    private func isLeft(_ topic: Topic) throws -> Bool {
        guard let name = topic.user else { return false }
        return try transaction.erasures.isAtWork(name)
    }

    /// The stream of a topic, looked up once in a command.
    private mutating func stream(of topic: Topic) throws -> StreamID {
        if let known = streams[topic] { return known }
        let stream = try transaction.streams.findOrMake(topic)
        streams[topic] = stream
        return stream
    }

    private mutating func insert(_ draft: NotificationDraft, _ place: NotificationPlace) throws -> Bool {
        var place = place
        if !place.isInbox { place.withheld = draft.withheld }
        guard !draft.ignoresBlocks, let writer = draft.writer, try transaction.blocks.concern(writer) else {
            return try NotificationRow(draft, place, in: context).insert(&digests)
        }
        if place.isInbox {
            guard try transaction.blocks.since(writer, by: place.stream) == nil else { return false }
        } else {
            place.withheld = try blockers(of: writer, among: place)
        }
        return try NotificationRow(draft, place, in: context).insert(&digests)
    }

    /// The users that read a place and block the writer, each once.
    private func blockers(of writer: StreamID, among place: NotificationPlace) throws -> [StreamID] {
        let streams = [place.stream] + place.others.map(\.stream)
        if streams.contains(.everyone) { return try transaction.blocks.blockers(of: writer) }
        return try Set(streams.flatMap { try transaction.blocks.blockers(of: writer, following: $0) }).sorted()
    }
}
