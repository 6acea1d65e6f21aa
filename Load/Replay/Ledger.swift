import Client
import Model

/// The ledger of a replay: what was sent, what every device received of it, and what is still expected.
///
/// A plain value that is fed with commands, replies and events and counts every broken promise. A user is an index in
/// `users`, a device an index among the devices of its user, and a side of a chat an index among its members: 0 or 1 in a pair.
struct Ledger {
    /// The content of a write.
    enum Content: Hashable {
        case text(String)
        case recommendation(Product)
    }

    /// The place that the server gave to a write.
    struct Place: Hashable {
        let n: MessageNumber
        let seq: Int64
    }

    /// One `send` or `recommend`.
    struct Write {
        let chat: Int
        let side: Int
        let content: Content
        let sentAt: ContinuousClock.Instant
        /// As named by the reply.
        var acknowledged: Place?
        /// As named by the first event.
        var seen: Place?
        /// The devices of all sides that got the message; those of side 0 are the low bits.
        var delivered: UInt64 = 0
        /// The devices of the recipient that got the notification.
        var notified: UInt64 = 0
        var isRefused = false
        /// The text of its edit, from when that is sent.
        var edited: String?
        var isEditAcknowledged = false
        /// Whether its deletion was sent.
        var isDeleting = false
        /// When the deletion was acknowledged.
        var deletedAt: ContinuousClock.Instant?
        /// The emoji of the other side, once that is acknowledged.
        var reaction: String?

        var isRecommendation: Bool { content.isRecommendation }
    }

    /// One conversation's messages.
    struct Chat {
        let id: ChatID
        /// The user of each side.
        let users: [Int]
        /// The last message before this run.
        var base: MessageNumber = 0
        /// Writes by number, the first being `base + 1`; -1 where the write is not known.
        var writes: [Int] = []
        /// The number that each device expects next; the devices of side 0 come first.
        var next: [MessageNumber] = []
        /// The message up to which each side has read, as acknowledged.
        var read: [MessageNumber]
        /// How many messages each side had not read before this run.
        var unreadBefore: [Int64]
    }

    /// A notification, as the devices of its user know it.
    struct Notification {
        var delivered: UInt64 = 0
        var isSeen = false
        var isRemoved = false
    }

    /// The records of one user.
    struct Account {
        let user: UserID
        /// Notifications that were not seen before this run.
        var unseenBefore: Int64 = 0
        /// Unread chats that have no part in this run.
        var otherUnreadChats: Int64 = 0
        var notifications: [String: Notification] = [:]
        /// The last counts that each device got.
        var unread: [UnreadCounts?]
        /// The last position each device got.
        var lastSeq: [Int64]
        /// When each device sent the `hello` of its connection.
        var onlineSince: [ContinuousClock.Instant?]
    }

    /// The beginning of every key of this run.
    let run: String
    let deviceCount: Int
    /// The kind of the notification that every recommendation must cause.
    let notificationKind: String
    var accounts: [Account]
    var chats: [Chat]
    let userIndex: [UserID: Int]
    let chatIndex: [ChatID: Int]
    var writes: [Write] = []
    var changes: [Change] = []
    var findings = Findings()
    /// Deliveries of acknowledged writes, and of their notifications, that have not arrived yet.
    var owed = 0
    var deliveries = 0
    var acknowledgements = Latencies()
    var arrivals = Latencies()

    /// How much later than on another node a deletion may be known on a node that takes sessions; zero with one server.
    var nodeLag: Duration = .zero

    /// An empty ledger.
    /// - Parameters:
    ///   - run: Different for each run, so that the keys differ.
    ///   - rooms: The members of the chats that are rooms; with all their devices at most 64.
    ///   - deviceCount: Devices of each user, 1 to 32.
    init(
        run: String, dialogues: [Dialogue], rooms: [ChatID: [UserID]] = [:], deviceCount: Int, notificationKind: String
    ) {
        self.run = run
        self.deviceCount = deviceCount
        self.notificationKind = notificationKind
        var userIndex: [UserID: Int] = [:]
        var chatIndex: [ChatID: Int] = [:]
        accounts = []
        chats = []
        for dialogue in dialogues {
            for user in [dialogue.initiator, dialogue.respondent] where userIndex[user] == nil {
                userIndex[user] = accounts.count
                accounts.append(
                    Account(
                        user: user,
                        unread: Array(repeating: nil, count: deviceCount),
                        lastSeq: Array(repeating: 0, count: deviceCount),
                        onlineSince: Array(repeating: nil, count: deviceCount)
                    )
                )
            }
        }
        for dialogue in dialogues where chatIndex[dialogue.chat] == nil {
            let members = rooms[dialogue.chat] ?? [dialogue.initiator, dialogue.respondent]
            chatIndex[dialogue.chat] = chats.count
            let zeros = Array(repeating: Int64(0), count: members.count)
            chats.append(
                Chat(
                    id: dialogue.chat,
                    users: members.compactMap { userIndex[$0] },
                    next: Array(repeating: 1, count: members.count * deviceCount),
                    read: zeros,
                    unreadBefore: zeros
                )
            )
        }
        self.userIndex = userIndex
        self.chatIndex = chatIndex
    }

    /// Records the state of a chat before this run, as one side sees it.
    mutating func begin(chat: Int, side: Int, last: MessageNumber, unread: Int64, read: MessageNumber) {
        chats[chat].base = last
        chats[chat].next = Array(repeating: last + 1, count: everyDevice(of: chat))
        chats[chat].unreadBefore[side] = unread
        chats[chat].read[side] = read
    }

    /// Records a write that is about to be sent.
    /// - Returns: its number, by which the reply is recorded, and its key.
    mutating func write(_ content: Content, chat: Int, side: Int, at now: ContinuousClock.Instant) -> (Int, WriteKey?) {
        writes.append(Write(chat: chat, side: side, content: content, sentAt: now))
        return (writes.count - 1, WriteKey("\(run)-\(writes.count - 1)"))
    }

    /// How many devices the members of a chat have together.
    func everyDevice(of chat: Int) -> Int { chats[chat].users.count * deviceCount }

    /// Records an `ok`: from now on every device of all sides must get the message.
    mutating func acknowledge(_ index: Int, _ place: Place, at now: ContinuousClock.Instant) {
        guard writes[index].acknowledged == nil else {
            return findings.add(.contract, "write \(index) was answered twice")
        }
        let write = writes[index]
        acknowledgements.record(now - write.sentAt)
        writes[index].acknowledged = place
        if let seen = write.seen, seen != place {
            findings.add(.altered, "write \(index) was acknowledged as \(place), delivered as \(seen)")
        }
        owed += everyDevice(of: write.chat) - write.delivered.nonzeroBitCount
        if write.isRecommendation { owed += deviceCount - write.notified.nonzeroBitCount }
        note(index, as: place.n)
    }

    /// Records a final refusal.
    mutating func refuse(_ index: Int, because reason: String) {
        writes[index].isRefused = true
        findings.add(.refused, "write \(index) in \(chats[writes[index].chat].id): \(reason)")
    }

    /// Records that one side has read up to a message.
    mutating func acknowledgeRead(chat: Int, side: Int, upTo n: MessageNumber) {
        chats[chat].read[side] = max(chats[chat].read[side], n)
    }

    /// Records that a user has seen notifications.
    mutating func acknowledgeSeen(user: Int, ids: [String]) {
        for id in ids { accounts[user].notifications[id]?.isSeen = true }
    }

    /// Records which write has a number in its chat.
    mutating func note(_ index: Int, as n: MessageNumber) {
        let chat = writes[index].chat
        let offset = n - chats[chat].base - 1
        guard (0..<10_000_000).contains(offset) else {
            return findings.add(.outOfOrder, "\(chats[chat].id) \(n) is not above \(chats[chat].base)")
        }
        while chats[chat].writes.count <= offset { chats[chat].writes.append(-1) }
        let before = chats[chat].writes[Int(offset)]
        if before >= 0, before != index {
            findings.add(.outOfOrder, "\(chats[chat].id) \(n) is both write \(before) and write \(index)")
        }
        chats[chat].writes[Int(offset)] = index
    }

    /// The counts that a user should have.
    func expectedUnread(of user: Int) -> UnreadCounts {
        var unreadChats = accounts[user].otherUnreadChats
        for chat in chats.indices {
            guard let side = chats[chat].users.firstIndex(of: user) else { continue }
            if expectedUnread(chat: chat, side: side) > 0 { unreadChats += 1 }
        }
        let unseen = accounts[user].notifications.values.count { !$0.isSeen && !$0.isRemoved }
        return UnreadCounts(chats: unreadChats, notifications: accounts[user].unseenBefore + Int64(unseen))
    }

    /// How many messages of the others one side has not read.
    func expectedUnread(chat: Int, side: Int) -> Int64 {
        let entry = chats[chat]
        var unread = entry.read[side] >= entry.base ? 0 : entry.unreadBefore[side]
        for (offset, index) in entry.writes.enumerated()
        where index >= 0 && writes[index].side != side && writes[index].deletedAt == nil
            && entry.base + 1 + Int64(offset) > entry.read[side]
        {
            unread += 1
        }
        return unread
    }
}
