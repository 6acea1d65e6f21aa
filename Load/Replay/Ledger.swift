import Client
import Model

/// The books of a replay: what was sent, what every device got of it, and what the server owes.
///
/// A plain value fed with commands, replies and events, which counts every broken promise. A user is its place in
/// `users`, a device its place among the devices of its user, a side of a chat is 0 or 1.
struct Ledger {
    /// What a write says.
    enum Content: Hashable {
        case text(String)
        case recommendation(Product)
    }

    /// The place the server gave to a write.
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
        /// As the reply says it.
        var acknowledged: Place?
        /// As the first event says it.
        var seen: Place?
        /// The devices of both sides that got the message: those of side 0 in the low bits.
        var delivered: UInt64 = 0
        /// The devices of the recipient that got the notification.
        var notified: UInt64 = 0
        var isRefused = false

        var isRecommendation: Bool { content.isRecommendation }
    }

    /// One conversation's messages.
    struct Chat {
        let id: ChatID
        /// The users of side 0 and 1.
        let users: [Int]
        /// The newest message before this run.
        var base: MessageNumber = 0
        /// Writes by number, the first being `base + 1`; -1 where none is known.
        var writes: [Int] = []
        /// The number each device expects next; side 0's first.
        var next: [MessageNumber] = []
        /// Up to where each side has read, as acknowledged.
        var read: [MessageNumber]
        /// What each side had not read before this run.
        var unreadBefore: [Int64] = [0, 0]
    }

    /// A notification as its user's devices know it.
    struct Notification {
        var delivered: UInt64 = 0
        var isSeen = false
        var isRemoved = false
    }

    /// What belongs to one user.
    struct Account {
        let user: UserID
        /// Not seen before this run.
        var unseenBefore: Int64 = 0
        /// Chats that have no part in this run and are not read.
        var otherUnreadChats: Int64 = 0
        var notifications: [String: Notification] = [:]
        /// The last counts each device was told.
        var unread: [UnreadCounts?]
        /// The last position each device got.
        var lastSeq: [Int64]
    }

    /// Begins every key of this run.
    let run: String
    let deviceCount: Int
    /// The kind of the notifications that every recommendation must bring.
    let notificationKind: String
    var accounts: [Account]
    var chats: [Chat]
    let userIndex: [UserID: Int]
    let chatIndex: [ChatID: Int]
    var writes: [Write] = []
    var findings = Findings()
    /// Deliveries of acknowledged writes, and of their notifications, that have not come yet.
    var owed = 0
    var deliveries = 0
    var acknowledgements = Latencies()
    var arrivals = Latencies()

    /// Empty books.
    /// - Parameters:
    ///   - run: different for each run, so that keys are.
    ///   - deviceCount: of each user, 1 to 32.
    init(run: String, dialogues: [Dialogue], deviceCount: Int, notificationKind: String) {
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
                        lastSeq: Array(repeating: 0, count: deviceCount)
                    )
                )
            }
            guard chatIndex[dialogue.chat] == nil, let one = userIndex[dialogue.initiator],
                let other = userIndex[dialogue.respondent]
            else { continue }
            chatIndex[dialogue.chat] = chats.count
            chats.append(
                Chat(
                    id: dialogue.chat,
                    users: [one, other],
                    next: Array(repeating: 1, count: 2 * deviceCount),
                    read: [0, 0]
                )
            )
        }
        self.userIndex = userIndex
        self.chatIndex = chatIndex
    }

    /// What stood in a chat before this run, as one side sees it.
    mutating func begin(chat: Int, side: Int, last: MessageNumber, unread: Int64, read: MessageNumber) {
        chats[chat].base = last
        chats[chat].next = Array(repeating: last + 1, count: 2 * deviceCount)
        chats[chat].unreadBefore[side] = unread
        chats[chat].read[side] = read
    }

    /// Books a write that is about to be sent.
    /// - Returns: its number, by which the reply is booked, and its key.
    mutating func write(_ content: Content, chat: Int, side: Int, at now: ContinuousClock.Instant) -> (Int, WriteKey?) {
        writes.append(Write(chat: chat, side: side, content: content, sentAt: now))
        return (writes.count - 1, WriteKey("\(run)-\(writes.count - 1)"))
    }

    /// Books an `ok`: from now on the write is owed to every device of both sides.
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
        owed += 2 * deviceCount - write.delivered.nonzeroBitCount
        if write.isRecommendation { owed += deviceCount - write.notified.nonzeroBitCount }
        note(index, as: place.n)
    }

    /// Books a refusal for good.
    mutating func refuse(_ index: Int, because reason: String) {
        writes[index].isRefused = true
        findings.add(.refused, "write \(index) in \(chats[writes[index].chat].id): \(reason)")
    }

    /// Books that one side has read up to a message.
    mutating func acknowledgeRead(chat: Int, side: Int, upTo n: MessageNumber) {
        chats[chat].read[side] = max(chats[chat].read[side], n)
    }

    /// Books that a user has seen notifications.
    mutating func acknowledgeSeen(user: Int, ids: [String]) {
        for id in ids { accounts[user].notifications[id]?.isSeen = true }
    }

    /// Books which write has a number in its chat.
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

    /// What a user should be told is unread.
    func expectedUnread(of user: Int) -> UnreadCounts {
        var unreadChats = accounts[user].otherUnreadChats
        for chat in chats.indices {
            guard let side = chats[chat].users.firstIndex(of: user) else { continue }
            if expectedUnread(chat: chat, side: side) > 0 { unreadChats += 1 }
        }
        let unseen = accounts[user].notifications.values.count { !$0.isSeen && !$0.isRemoved }
        return UnreadCounts(chats: unreadChats, notifications: accounts[user].unseenBefore + Int64(unseen))
    }

    /// How many messages of the other one side has not read.
    func expectedUnread(chat: Int, side: Int) -> Int64 {
        let entry = chats[chat]
        var unread = entry.read[side] >= entry.base ? 0 : entry.unreadBefore[side]
        for (offset, index) in entry.writes.enumerated()
        where index >= 0 && writes[index].side != side && entry.base + 1 + Int64(offset) > entry.read[side] {
            unread += 1
        }
        return unread
    }
}
