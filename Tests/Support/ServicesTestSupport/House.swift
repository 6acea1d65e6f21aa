package import Execution
import Foundation
package import JSON
package import Model
package import Notifying
package import Searching
package import Services
package import Store
package import StoreTestSupport
import TestSupport
import Testing
import TriggerExecution
import Triggers

@testable package import ClientProtocol

/// The state machine over a real database in a folder of its own: no threads, no sockets, and the test sets the time.
package final class House {
    let folder = TemporaryFolder()
    package let directory: DataDirectory
    package let writer: Writer
    private let reader: Reader
    /// The index of messages; nil until a test indexes.
    package var searching: (indexing: SearchIndexing, index: SearchIndex, reader: SearchReader)?
    /// Repeats every commit on a copy of the database.
    package let mirror: JournalMirror
    package let machine: StateMachine
    private let collections = TopicCollections()
    private var nextKey = 0
    /// False while a call is tried that must change nothing.
    private var mayAcquaint = true
    /// The time of the clock; a test moves it.
    package var now = Timestamp(milliseconds: 1_795_000_000_000)
    /// The steps of every commit so far.
    package private(set) var commits: [[CommittedStep]] = []
    package private(set) var sessions: [String: LiveSession] = [:]

    /// - Parameters:
    ///   - triggers: The first rows, by name.
    ///   - tally: Counts their outcomes.
    ///   - pushesMessages: The setting of that name.
    ///   - limits: How often a person may do things.
    package init(
        triggers: [JSONValue] = [], tally: TriggerTally = TriggerTally(), pushesMessages: Bool = true,
        limits: PersonLimits = .none
    ) throws {
        directory = try DataDirectory(folder.path)
        try EmptyDatabase.put(into: directory)
        writer = try Storage.openWriter(directory)
        reader = try Storage.openReader(directory)
        mirror = try JournalMirror(of: writer, in: directory)
        machine = try StateMachine(
            triggerRows: [], collections: collections, tally: tally, pushesMessages: pushesMessages, limits: limits)
        for row in triggers { try put(trigger: row) }
    }

    /// After the test: the copy must be equal, row by row.
    deinit {
        for finding in mirror.finish() { Issue.record("the node that follows differs: \(finding)") }
    }

    /// The trigger rows of the film network.
    package static func filmNetwork(pushesMessages: Bool = true) throws -> House {
        try House(triggers: rows("film-network"), pushesMessages: pushesMessages)
    }

    /// The rows of `deploy/triggers/NAME.json`.
    package static func rows(_ name: String) throws -> [JSONValue] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/triggers/\(name).json")
        return try #require(try JSONValue(parsing: Array(Data(contentsOf: file))).arrayValue)
    }

    // MARK: People

    /// The actor with a name; the first call makes the user known.
    package func actor(_ name: String) throws -> Actor {
        if name == "admin" { return .administrator(try user(name)) }
        if name == "server" { return .server }
        let id = try user(name)
        if let number = try reader.read({ try $0.users.number(of: id) }) { return .user(number, id) }
        try commit(RegisterUser(id, deviceLanguage: nil), by: .server)
        return .user(try #require(try reader.read { try $0.users.number(of: id) }), id)
    }

    package func entry(_ name: String) throws -> UserEntry {
        _ = try actor(name)
        return try reader.read { try #require(try $0.users.find(try user(name))) }
    }

    package func counts(_ name: String) throws -> UnreadCounts {
        let entry = try entry(name)
        return try reader.read { try $0.unread(of: entry) }
    }

    /// A session of the user begins now.
    package func connect(_ name: String) throws -> LiveSession {
        _ = try actor(name)
        let start = try reader.read { try #require(try SessionStart(of: try user(name), in: $0)) }
        let session = LiveSession(start)
        sessions[name] = session
        return session
    }

    /// From now on people follow somebody, as if they always had, without an event: whom somebody knows, they may bring into rooms.
    package func acquaint(_ name: String, with people: [String]) throws {
        guard mayAcquaint else { return }
        let topic = Topic(user: try user(name))
        let followers = try people.filter { $0 != name }.map(user)
        _ = try writer.commit([followers]) { followers, transaction in
            let stream = try transaction.streams.findOrMake(topic)
            for follower in followers where try !transaction.reading.isErased(follower, at: now) {
                let id = try transaction.users.findOrMake(follower, at: transaction.head)
                guard try transaction.follows.since(follower: id, stream: stream) == nil else { continue }
                try transaction.follows.insert(follower: id, stream: stream, since: transaction.head)
                _ = try transaction.streams.addFollowers(1, to: stream)
            }
            return Result<Void, any Error>.success(())
        } refuse: {
            .failure($0)
        }
    }

    // MARK: Writing and reading

    /// Applies one write in a commit of its own.
    ///
    /// - Throws: its `Refusal`.
    @discardableResult
    package func write(_ useCase: any WriteUseCase, by name: String) throws -> JSONValue {
        try commit(useCase, by: actor(name))
    }

    /// Applies a write in a transaction that then fails and is undone.
    package func fail(_ useCase: any WriteUseCase, by name: String, with error: any Error) throws {
        let request = WriteRequest(actor: try actor(name), at: now, useCase: useCase)
        defer { machine.forget() }
        _ = try writer.commit([request, request]) { request, transaction -> Void in
            _ = try machine.apply(request, in: transaction)
            throw error
        } refuse: { _ in
        }
    }

    /// The same, for what the server itself learns of it.
    package func fact(of useCase: any WriteUseCase, by name: String) throws -> AnswerFact {
        try answer(to: useCase, by: actor(name)).fact
    }

    @discardableResult
    package func commit(_ useCase: any WriteUseCase, by actor: Actor) throws -> JSONValue {
        try JSONValue(parsing: answer(to: useCase, by: actor).body)
    }

    private func answer(to useCase: any WriteUseCase, by actor: Actor) throws -> EncodedAnswer {
        let request = WriteRequest(actor: actor, at: now, useCase: useCase)
        let committed = try writer.commit([request]) { request, transaction in
            Result<EncodedAnswer, Refusal>.success(try machine.apply(request, in: transaction))
        } refuse: {
            .failure(StateMachine.refusal(for: $0))
        } keep: { outcome, request, transaction in
            if case .failure(let refusal) = outcome { try machine.keep(refusal, of: request, in: transaction) }
        }
        commits.append(committed.steps)
        for session in sessions.values {
            try session.take(committed.steps) { id in
                try reader.read { try $0.unread(of: try #require(try $0.users.find(id))) }
            }
        }
        return try committed.items[0].outcome.get()
    }

    package func read(_ useCase: any ReadUseCase, by name: String) throws -> JSONValue {
        try read(useCase, as: actor(name))
    }

    package func read(
        _ useCase: any ReadUseCase, as actor: Actor, profile: [String] = []
    ) throws -> JSONValue {
        try reader.read { transaction in
            let context = ReadContext(
                transaction: transaction, actor: actor, now: now, collections: collections, profile: profile,
                search: searching?.reader)
            return try JSONValue(parsing: useCase.encodedAnswer(in: context).body)
        }
    }

    /// Position of the newest entry.
    package var head: Position { writer.head }

    /// Trims the log, with all steps that are due now.
    ///
    /// - Parameter retention: Milliseconds; nil keeps everything.
    /// - Returns: the result of each step.
    /// - Parameter log: The time of the log's clock; nil for the start of a process.
    @discardableResult
    package func trim(keeping retention: Int64?, log: Timestamp? = nil) throws -> [TrimLog.Report] {
        var reports: [TrimLog.Report] = []
        repeat {
            let step = TrimLog(RetentionTimes(log: retention), keysKept: 100)
            let committed = try writer.commit([step]) { step, transaction in
                let newest = try log ?? transaction.retention.newestTime() ?? now
                return Result<TrimLog.Report, any Error>.success(
                    try step.perform(in: transaction, at: TrimLog.Clocks(now: now, log: newest)))
            } refuse: {
                .failure($0)
            }
            #expect(committed.steps.isEmpty)
            reports.append(try committed.items[0].outcome.get())
        } while reports.last?.isMoreDue == true
        return reports
    }

    /// Reads the database itself.
    package func look<Value>(_ body: (Transaction) throws -> Value) throws -> Value { try reader.read(body) }

    /// All counts of the database: the same before and after a call that must change nothing.
    package func state() throws -> JSONValue {
        var state = try read(ReadStatistics(), by: "admin")
        state["log"] = .integer(try look { try $0.log.count() })
        state["rows"] = .array(try look { try $0.triggers.all() }.map { .string($0) })
        return state
    }

    package func key() throws -> WriteKey {
        nextKey += 1
        return try writeKey("k\(nextKey)")
    }

    /// The refusal of a call.
    ///
    /// - Parameter people: Made known before, so that they do not count as a change.
    package func refusal(of people: [String] = ["alice", "bob"], _ body: () throws -> JSONValue) throws -> Refusal {
        for name in people { _ = try actor(name) }
        let before = try state()
        mayAcquaint = false
        defer { mayAcquaint = true }
        let refusal = try #require(throws: Refusal.self) { _ = try body() }
        #expect(try state() == before, "what is refused changes nothing")
        return refusal
    }
}

// MARK: - Commands by name

extension House {
    @discardableResult
    package func follow(_ name: String, _ topicText: String, isOn: Bool = true, key: WriteKey? = nil) throws
        -> JSONValue
    {
        try write(FollowTopic(try topic(topicText), isOn: isOn, key: key), by: name)
    }

    @discardableResult
    package func recommend(
        _ from: String,
        _ to: String,
        _ product: String = "movie/603",
        title: String? = "The Matrix",
        note: String? = nil,
        key: String? = nil
    ) throws -> JSONValue {
        let command = RecommendCommand(
            to: try user(to),
            product: try #require(Product(id: product, title: title)),
            note: note,
            key: try key.map(writeKey) ?? self.key()
        )
        return try write(RecommendProduct(command), by: from)
    }

    @discardableResult
    package func send(
        _ from: String,
        _ recipient: String,
        _ text: String = "hi",
        replyTo: Int64? = nil,
        key: String? = nil
    ) throws -> JSONValue {
        let recipient: SendCommand.Recipient =
            if let chat = ChatID(recipient) { .chat(chat) } else { .user(try user(recipient)) }
        let command = SendCommand(
            recipient: recipient,
            text: text,
            replyTo: replyTo,
            key: try key.map(writeKey) ?? self.key()
        )
        return try write(SendMessage(command), by: from)
    }

    @discardableResult
    package func edit(
        _ name: String, _ chatName: String, _ n: Int64, _ text: String, rev: Int64? = nil, key: String? = nil
    ) throws -> JSONValue {
        let command = EditCommand(
            chat: try chat(chatName), n: n, text: text, revision: rev, key: try key.map(writeKey) ?? self.key())
        return try write(EditMessage(command), by: name)
    }

    @discardableResult
    package func delete(_ name: String, _ chatName: String, _ n: Int64, key: String? = nil) throws -> JSONValue {
        let command = DeleteCommand(chat: try chat(chatName), n: n, key: try key.map(writeKey) ?? self.key())
        return try write(DeleteMessage(command), by: name)
    }

    @discardableResult
    package func react(
        _ name: String, _ chatName: String, _ n: Int64, _ emoji: String, isOn: Bool = true, key: String? = nil
    ) throws -> JSONValue {
        let command = ReactCommand(
            chat: try chat(chatName), n: n, emoji: emoji, isOn: isOn, key: try key.map(writeKey) ?? self.key())
        return try write(ReactToMessage(command), by: name)
    }

    @discardableResult
    package func block(_ name: String, _ other: String, isOn: Bool = true, key: String? = nil) throws -> JSONValue {
        try write(BlockUser(user(other), isOn: isOn, key: try key.map(writeKey) ?? self.key()), by: name)
    }

    @discardableResult
    package func restrict(
        _ name: String, _ kind: Restriction.Kind, until: Timestamp? = nil, reason: String = "spam"
    ) throws -> JSONValue {
        try write(RestrictUser(user(name), kind, until: until, reason: reason, key: key()), by: "admin")
    }

    @discardableResult
    package func report(
        _ name: String, _ other: String, in chatName: String? = nil, n: Int64? = nil,
        _ category: ReportCategory = .other, reason: String? = nil
    ) throws -> JSONValue {
        let command = ReportCommand(
            user: try user(other), chat: try chatName.map { try chat($0) }, n: n, category: category, reason: reason,
            key: try key())
        return try write(ReportUser(command), by: name)
    }

    @discardableResult
    package func decide(
        _ report: Int64, _ action: DecideReport.Action, until: Timestamp? = nil, _ statement: String = "rule 3",
        note: String? = nil
    ) throws -> JSONValue {
        try write(
            DecideReport(report, action, until: until, statement: statement, note: note, key: key()), by: "admin")
    }

    /// From here on, users write `reviews/ID` of their own.
    package func openReviews() throws {
        let rules: JSONObject = ["rules": ["reviews/{review}": ["read": "anyone", "write": "field:author"]]]
        try write(PutRules(rules, ifVersion: nil, key: nil), by: "admin")
    }

    @discardableResult
    package func review(_ name: String, _ id: String, at: Timestamp? = nil) throws -> JSONValue {
        var data: JSONObject = ["text": .string(id), "author": .string(name)]
        data["at"] = at.map { .string($0.text) }
        let path = try DocumentPath("reviews/\(id)")
        return try write(WriteDocuments(DocumentWrite(path: path, operation: .put(data)), key: nil), by: name)
    }

    /// A trigger that brings each message to all members of its chat.
    package var messageRow: JSONValue {
        [
            "name": "message", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "chat:{chat}",
            "title": "{{after.from}}", "body": "{{after.text}}",
        ]
    }

    @discardableResult
    package func markRead(_ name: String, _ chatName: String, _ n: Int64) throws -> JSONValue {
        try write(MarkRead(ReadCommand(chat: try chat(chatName), n: n)), by: name)
    }

    @discardableResult
    package func seen(_ name: String, upTo position: Int64) throws -> JSONValue {
        try write(MarkSeen(.upTo(Position(position))), by: name)
    }

    @discardableResult
    package func seen(_ name: String, ids: [String]) throws -> JSONValue { try write(MarkSeen(.ids(ids)), by: name) }

    package func notifications(
        _ name: String,
        before: String? = nil,
        limit: Int = 50,
        isUnreadOnly: Bool = false,
        language: String? = nil
    ) throws -> JSONValue {
        let command = NotificationsCommand(before: before, limit: limit, isUnreadOnly: isUnreadOnly)
        return try read(
            ListNotifications(command, deviceLanguage: language.flatMap { LanguageTag($0) }),
            by: name
        )
    }

    package func history(_ name: String, _ chatName: String, before: Int64? = nil, after: Int64? = nil, limit: Int = 50)
        throws
        -> JSONValue
    {
        try read(
            ReadHistory(HistoryCommand(chat: try chat(chatName), before: before, after: after, limit: limit)),
            by: name
        )
    }

    package func chats(
        _ name: String, before: String? = nil, limit: Int = 50, profile: [String] = []
    ) throws -> JSONValue {
        try read(ListChats(ChatsCommand(before: before, limit: limit)), as: actor(name), profile: profile)
    }

    @discardableResult
    package func put(_ path: String, _ data: JSONObject, ifVersion: Int64? = nil, key: String? = nil) throws
        -> JSONValue
    {
        try document(path, .put(data), ifVersion: ifVersion, key: key)
    }

    @discardableResult
    package func delete(_ path: String, ifVersion: Int64? = nil) throws -> JSONValue {
        try document(path, .delete, ifVersion: ifVersion)
    }

    @discardableResult
    package func document(
        _ path: String,
        _ operation: DocumentWrite.Operation,
        ifVersion: Int64? = nil,
        key: String? = nil
    ) throws -> JSONValue {
        let write = DocumentWrite(path: try DocumentPath(path), operation: operation, ifVersion: ifVersion)
        return try self.write(WriteDocuments(write, key: try key.map(writeKey)), by: "admin")
    }

    @discardableResult
    package func put(trigger row: JSONValue) throws -> JSONValue {
        let name = try #require(row["name"]?.stringValue)
        return try write(PutTrigger(name: name, row: #require(row.objectValue), key: nil), by: "admin")
    }

    @discardableResult
    package func broadcast(
        _ audience: String,
        _ title: String = "News",
        collapse: String? = nil,
        expires: Timestamp? = nil,
        at time: String? = nil,
        online: Int = 0,
        key: String? = nil
    ) throws -> JSONValue {
        let order = try self.order(audience, title, collapse: collapse, expires: expires, at: time)
        return try write(SendBroadcast(order, online: online, key: try key.map(writeKey)), by: "admin")
    }

    /// An operator's wish for a broadcast.
    package func order(
        _ audience: String,
        _ title: String = "News",
        collapse: String? = nil,
        expires: Timestamp? = nil,
        at time: String? = nil,
        kind: String = NotificationFacts.broadcastKind
    ) throws -> BroadcastOrder {
        BroadcastOrder(
            audience: try #require(BroadcastAudience(audience)),
            kind: kind,
            level: .active,
            texts: StoredTexts(Localized(fallback: NotificationText(title: title, body: ""), byLanguage: [:])),
            data: [:],
            expires: expires,
            collapse: collapse,
            time: try time.map { try #require(BroadcastTime($0)) }
        )
    }
}

extension House {
    /// Puts a schedule into the database as a damaged one might contain it.
    package func schedule(wanted: String) throws {
        let row = ScheduleEntry(
            trigger: "damaged",
            path: "items/1",
            due: now,
            change: Position(1),
            wanted: wanted
        )
        _ = try writer.commit([row]) { row, transaction in
            try transaction.triggers.schedule(row)
        } refuse: {
            Issue.record($0)
        }
    }
}

extension House {
    /// Puts reactions into the database as an earlier version has stored them.
    package func storeReactions(
        _ reactions: [(emoji: String, user: StreamID)], to n: MessageNumber, in chatName: String
    ) throws {
        _ = try writer.commit([reactions]) { reactions, transaction in
            let chat = try #require(try transaction.chats.find(try chat(chatName)))
            for (emoji, user) in reactions {
                try transaction.reactions.insert(
                    emoji, by: user, to: n, in: chat.id, at: transaction.appendSilently())
            }
            return Result<Void, any Error>.success(())
        } refuse: {
            .failure($0)
        }
    }

    /// Puts a row into the trigger table as another version may have stored it.
    ///
    /// - Parameter reloads: Whether the table is read again at once.
    package func store(_ name: String, row: String, reloads: Bool = true) throws {
        _ = try writer.commit([row]) { row, transaction in
            try transaction.triggers.put(name, row: row, at: transaction.head)
        } refuse: {
            Issue.record($0)
        }
        if reloads { try reloadTriggers() }
    }

    /// As the server does after a failed commit.
    package func reloadTriggers() throws { machine.reload(triggerRows: try look { try $0.triggers.all() }) }

    package func takeBroken() -> [(name: String, reason: String)] { machine.takeBroken() }

    /// Puts a dead letter into the database, as though a trigger had failed now.
    package func bury(_ trigger: String, path: String) throws {
        _ = try writer.commit([trigger]) { trigger, transaction in
            try transaction.triggers.insertDead(
                trigger: trigger, path: path, change: transaction.head, reason: "damaged", at: now)
        } refuse: {
            Issue.record($0)
        }
    }
}

package func user(_ text: String) throws -> UserID { try #require(UserID(text)) }
package func topic(_ text: String) throws -> Topic { try #require(Topic(text)) }
package func chat(_ text: String) throws -> ChatID { try #require(ChatID(text)) }
package func writeKey(_ text: String) throws -> WriteKey { try #require(WriteKey(text)) }

extension JSONValue {
    /// The texts of a list's entries under `name`.
    package func texts(_ list: String, _ name: String? = nil) -> [String] {
        (self[list]?.arrayValue ?? []).compactMap { entry in
            guard let name else { return entry.stringValue }
            return entry[name]?.stringValue
        }
    }

    package func integers(_ list: String, _ name: String) -> [Int64] {
        (self[list]?.arrayValue ?? []).compactMap { $0[name]?.integerValue }
    }

    package var n: Int64? { self["n"]?.integerValue }
    package var seq: Int64? { self["seq"]?.integerValue }
}
