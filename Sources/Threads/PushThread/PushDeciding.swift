import Configuration
import Execution
import JSON
import Model
import Notifying
import Push
import Store
import Triggers

/// Decides for one user after the other whether a job is still true for them, and reads what the push says. All that it
/// reads is of one moment.
///
/// - Confinement: store (the thread of pushes)
struct PushDeciding {
    private let context: ReadContext
    let epoch: Epoch
    let tags: PushTagKey
    let badge: PushBadge
    /// The notifications that were read: a page of a topic has many readers of one.
    private var shown: [Position: Shown] = [:]

    /// A notification, and the parts of its pushes that are the same for all readers.
    ///
    /// - Confinement: any
    private struct Shown: Sendable {
        let notification: NotificationEntry
        let texts: StoredTexts
        let entry: PushEntry
    }

    init(in context: ReadContext, epoch: Epoch, tags: PushTagKey, badge: PushBadge) {
        self.context = context
        self.epoch = epoch
        self.tags = tags
        self.badge = badge
    }

    var transaction: Transaction { context.transaction }
    private var now: Timestamp { context.now }

    /// - Parameter judged: the newest message that the job decides about; nil for the newest of the chat.
    mutating func decide(_ job: PushJobEntry, for id: StreamID, upTo judged: MessageNumber?) throws -> PushDecision {
        guard let user = try transaction.users.find(id) else { return .skip(.noDevice) }
        guard job.ends > now else { return .skip(.expired) }
        // A withdrawal only takes away from a screen, so it is sent all the same.
        if job.kind != .withdrawal, try transaction.restrictions.inForce(.ban, of: id, at: now) != nil {
            return .skip(.banned)
        }
        switch job.kind {
        case .message: return try message(job, for: user, upTo: judged)
        case .notification, .digest, .quietUpdate: return try notification(job, for: user)
        case .withdrawal: return .push(try withdrawal(for: user, at: job.at, ends: job.ends))
        }
    }

    /// A push that only takes away what its device shows.
    func withdrawal(for user: UserEntry, at: Timestamp, ends: Timestamp) throws -> PushMaterial {
        PushMaterial(
            kind: .withdrawal, user: user, texts: .nothing, entry: nil, at: at, expires: nil, ends: ends,
            badge: badge.count(try transaction.unread(of: user)), epoch: epoch)
    }

    /// The tag of something that is taken back; nil when the log does not have the notification any more.
    func tag(of subject: PushGoneEntry.Subject) throws -> PushTag? {
        switch subject {
        case .notification(let position):
            try transaction.notifications.findWritten(at: position).map { tag(of: $0) }
        case .messages(let chat): tags.tag(chat: chat)
        }
    }

    private func tag(of entry: NotificationEntry) -> PushTag {
        tags.tag(topic: entry.topic, collapse: entry.collapse ?? entry.id)
    }
}

// MARK: - Notifications

extension PushDeciding {
    private mutating func notification(_ job: PushJobEntry, for user: UserEntry) throws -> PushDecision {
        guard let shown = try shown(at: job.position) else { return .skip(.removed) }
        let notification = shown.notification
        let facts = try facts(of: notification, job, user)
        if let skip = facts.skip { return .skip(skip) }
        return .push(
            PushMaterial(
                kind: job.kind, user: user, texts: .notification(shown.texts), entry: shown.entry,
                at: notification.at, expires: notification.expires, ends: job.ends,
                badge: badge.count(try transaction.unread(of: user)), epoch: epoch))
    }

    private mutating func shown(at position: Position) throws -> Shown? {
        if let known = shown[position] { return known }
        guard let notification = try transaction.notifications.find(position) else { return nil }
        let data = try JSONValue(parsing: Array(notification.data.utf8))
        let entry = PushEntry(
            isMessage: false, position: position, level: notification.level, tag: tag(of: notification),
            kind: notification.kind, topic: notification.topic, chat: NotificationFacts.chat(of: notification),
            data: data.objectValue?.members.isEmpty == false ? data : nil)
        let found = Shown(
            notification: notification, texts: try StoredTexts(parsing: notification.texts), entry: entry)
        shown[position] = found
        return found
    }

    private func facts(of entry: NotificationEntry, _ job: PushJobEntry, _ user: UserEntry) throws -> PushFacts {
        let notifications = transaction.notifications
        var facts = PushFacts()
        facts.isExpired = entry.expires.map { $0 <= now } ?? false
        facts.isSeen = try notifications.isSeen(entry.position, by: user)
        facts.isReadable = try notifications.isReadable(entry, by: user)
        facts.isApart = try !facts.isReadable && notifications.isApart(entry, for: user.id)
        if facts.isApart { facts.isReadable = true }
        facts.isQuietUpdate = job.kind == .quietUpdate
        // For its readers the row of a topic says only that it is an update, so their preferences are asked as if it
        // were news.
        var asked = entry
        if entry.stream != user.id, entry.silence == .updated { asked.silence = nil }
        var decision = DeliveryDecision(of: user, in: transaction)
        facts.silence = try decision.reason(for: asked)
        return facts
    }
}

// MARK: - Messages

extension PushDeciding {
    private func message(
        _ job: PushJobEntry, for user: UserEntry, upTo judged: MessageNumber?
    ) throws -> PushDecision {
        guard case .chat(let number) = job.stream.kind, let chat = try transaction.chats.find(number: number),
            let member = try transaction.chats.member(user.id, of: number)
        else { return .skip(.removed) }
        // Earlier messages belong to an earlier job.
        let (first, last) = (max(member.read + 1, job.chatFrom ?? 1), judged ?? chat.last)
        guard first <= last,
            let newest = try transaction.messages.newestOfOthers(of: number, in: first...last, than: user.id)
        else { return .skip(.seen) }
        let message: MessageEntry
        switch try newsworthy(in: first...newest, of: chat, for: user.id) {
        case .success(let found): message = found
        case .failure(let skip): return .skip(skip.reason)
        }
        // A later job decides about messages that are newer than this one's.
        if judged == nil, let own = job.judged, message.n > own { return .skip(.replaced) }
        if let preferences = DeliveryPreferences.stored(user.preferences) {
            let facts = NotificationFacts(
                kind: Self.messageKind, level: .active, topic: "", chat: chat.name, at: now, isPersonal: true)
            switch preferences.reason(against: facts, beginsDigest: false, follows: { _ in false }) {
            case nil: break
            case .quietHours:
                if let end = preferences.nextDue(of: .quietHours, after: now) { return .wait(until: end) }
                return .skip(.quietHours)
            case let silence?: if let skip = PushSkip(silence) { return .skip(skip) }
            }
        }
        return .push(try material(message, in: chat, for: user, job))
    }

    /// Messages in a row that notifications announce; one before them is old news.
    private static let announcedMax = 100

    /// Why none of some messages is pushed.
    ///
    /// - Confinement: any
    private struct NoNews: Error {
        let reason: PushSkip
    }

    /// The newest message of others for which no notification is pushed, and whose author the user does not block; a
    /// failure when there is none among the newest.
    ///
    /// - Parameter range: its last message is one of others.
    private func newsworthy(
        in range: ClosedRange<MessageNumber>, of chat: ChatEntry, for user: StreamID
    ) throws -> Result<MessageEntry, NoNews> {
        var (n, reason) = (range.upperBound, PushSkip.replaced)
        for _ in 0..<Self.announcedMax {
            guard let message = try transaction.messages.find(n, in: chat.id) else { break }
            if try transaction.blocks.since(message.author, by: user) != nil {
                reason = .blocked
            } else if try !transaction.isAnnounced(n, of: chat.name, to: user) {
                return .success(message)
            }
            guard range.lowerBound < n,
                let earlier = try transaction.messages.newestOfOthers(
                    of: chat.id, in: range.lowerBound...n - 1, than: user)
            else { break }
            n = earlier
        }
        return .failure(NoNews(reason: reason))
    }

    /// The kind of messages, as preferences name it.
    private static let messageKind = "message"

    private func material(
        _ message: MessageEntry, in chat: ChatEntry, for user: UserEntry, _ job: PushJobEntry
    ) throws -> PushMaterial {
        let title = try author(of: message, for: user)
        let product = try message.product.map { try StoredJSON.product($0) }
        let body = message.text ?? product?.title ?? product?.id ?? ""
        let entry = PushEntry(
            isMessage: true, position: message.position, level: job.level, tag: tags.tag(chat: chat.name),
            kind: Self.messageKind, chat: chat.name, number: message.n)
        return PushMaterial(
            kind: .message, user: user, texts: .message(title: title, body: body), entry: entry, at: message.at,
            expires: nil, ends: job.ends, badge: badge.count(try transaction.unread(of: user)), epoch: epoch)
    }

    /// The author's name as the reader may know it, cut as the titles of notifications are; else the author's id.
    private func author(of message: MessageEntry, for reader: UserEntry) throws -> String {
        guard let author = try transaction.users.name(of: message.author) else { return "" }
        let name = try context.documentRights.name(of: Topic(user: author), for: reader) ?? ""
        let line = TextCut.line(name, charactersMax: Limits.titleCharactersMax)
        return line.isEmpty ? author.text : line
    }
}
