import ClientProtocol
import JSON
import Model

/// The cost of reads and writes as the stored data grow. One chat is filled to several lengths; at each length, the
/// times of a message, of a page of history, and of a reconnect are measured. Then reconnects after more and more
/// missed events.
struct StoredScenario: Sendable {
    static let axis = "messages stored in the chat"
    static let backlogAxis = "events missed"
    /// Connections that fill the chat, so that several messages share a commit.
    private static let fillingConnections = 64
    private static let returns = 10
    /// Missed events when the length of the chat is varied.
    private static let missed = 100

    var lengths: [Int]
    var backlogs: [Int]

    func run(_ course: Course) throws -> [Outcome] {
        guard let chat = StoredChat(course) else { throw LoadFailure("the run's name \(course.run) makes no user") }
        _ = try chat.asSender.command(["type": "follow", "topic": .string(Topic(user: chat.recipient).text)])
        var stored = 0
        var outcomes: [Outcome] = []
        for length in lengths.sorted() {
            let missed = min(length - stored, Self.missed)
            try fill(course, chat, from: stored, to: length - missed)
            let since = try Returning.visit(course, chat.recipient, since: nil).cursor
            try fill(course, chat, from: length - missed, to: length)
            stored = length
            let times = Repeated(course: course, axis: Self.axis)
            if missed == Self.missed {
                outcomes.append(try resume(chat, times, "coming back to \(missed) missed", length, missed, since))
            }
            outcomes += try reads(chat, times, length)
            outcomes.append(try message(chat, times, length, &stored))
        }
        for backlog in backlogs.sorted() {
            let since = try Returning.visit(course, chat.recipient, since: nil).cursor
            try fill(course, chat, from: stored, to: stored + backlog)
            stored += backlog
            let times = Repeated(course: course, axis: Self.backlogAxis)
            outcomes.append(try resume(chat, times, "coming back", backlog, backlog, since))
        }
        return outcomes
    }

    private func reads(_ chat: StoredChat, _ times: Repeated, _ length: Int) throws -> [Outcome] {
        let asRecipient = chat.asRecipient
        return [
            try times.time("a page of history, newest", length) {
                _ = try asRecipient.command(["type": "history", "chat": chat.name, "limit": 50])
            },
            try times.time("a page of history, oldest", length) {
                _ = try asRecipient.command(["type": "history", "chat": chat.name, "after": 0, "limit": 50])
            },
            try times.time("the list of chats", length) { _ = try asRecipient.command(["type": "chats"]) },
        ]
    }

    private func message(_ chat: StoredChat, _ times: Repeated, _ length: Int, _ stored: inout Int) throws -> Outcome {
        var sent = 0
        defer { stored += sent }
        return try times.time("one message", length) {
            sent += 1
            _ = try chat.asSender.command(chat.message("one more", key: "more-\(length)-\(sent)"))
        }
    }

    /// Reconnects repeatedly to the missed events.
    private func resume(
        _ chat: StoredChat, _ times: Repeated, _ what: String, _ size: Int, _ events: Int,
        _ since: ResumePoint?
    ) throws -> Outcome {
        var broken: [String] = []
        var outcome = try times.measure(what, size, times: Self.returns) {
            let visit = try Returning.visit(times.course, chat.recipient, since: since)
            if visit.events < events { broken.append("\(visit.events) of at least \(events) missed events came") }
            return visit.time
        }
        outcome.broken = broken
        return outcome
    }

    /// Writes messages to the chat, over several connections of the sender.
    private func fill(_ course: Course, _ chat: StoredChat, from stored: Int, to length: Int) throws {
        guard length > stored else { return }
        let posting = Posting(
            server: course.server, target: "/v1/commands", token: chat.asSender.token,
            atOnce: min(Self.fillingConnections, length - stored), time: "message"
        ) { done in
            let number = stored + done
            return number < length ? (chat.message("message \(number)", key: "fill-\(number)"), 1) : nil
        }
        var progress = ProgressLine()
        try Posting.finish(try posting.crew(), "the chat was not filled") { count in
            progress.show("filling a chat: \((stored + count).grouped) of \(length.grouped)")
        }
        progress.clear()
    }
}

/// One chat of two, as the HTTP API sees it.
struct StoredChat: Sendable {
    let recipient: UserID
    let name: JSONValue
    let asSender: AdminCalls
    let asRecipient: AdminCalls

    /// Nil for a run without users.
    init?(_ course: Course) {
        guard let alice = course.user("stored-a"), let bob = course.user("stored-b"), let mint = course.mint,
            let chat = ChatID(between: alice, and: bob)
        else { return nil }
        recipient = bob
        name = .string(chat.text)
        asSender = AdminCalls(server: course.server, token: mint.token(for: alice))
        asRecipient = AdminCalls(server: course.server, token: mint.token(for: bob))
    }

    func message(_ text: String, key: String) -> JSONValue {
        ["type": "send", "to": .string(recipient.text), "text": .string(text), "key": .string(key)]
    }
}
