import ClientProtocol
import Foundation
import JSON
import Model
import Session

/// The questions of an engine: the state after a reset, pages of chats, watched documents.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Fetching {
    private unowned let engine: Engine
    private var watches: [String: DocumentWatch] = [:]
    private static let page: Int64 = 200
    private static let chatPagesMax = 10
    private static let inboxPagesMax = 5
    /// The server's bound for one connection.
    private static let watchesMax = 100

    init(_ engine: Engine) { self.engine = engine }

    // MARK: Requests

    /// Sends a command and waits for its answer.
    /// - Parameters:
    ///   - timeout: The longest wait; nil is for ever.
    ///   - atOnce: Gets the answer at its place among the events.
    /// - Throws: ``WatchWiseError``, also `timeout`, and when the connection breaks; `CancellationError` when the task ends. A
    ///   command that has not been sent by then is not sent any more.
    func request(
        _ command: ClientCommand, timeout: Duration? = nil, atOnce: @escaping (JSONValue) -> Void = { _ in }
    ) async throws -> JSONValue {
        try Task.checkCancellation()
        let question = Question<JSONValue>()
        let number = engine.submit(command) { reply in
            if case .ok(let ok) = reply { atOnce(ok) }
            question.settle(Self.result(of: reply))
        }
        let withdraw = { @WatchWiseActor [weak engine] (error: any Error) in
            guard !question.isSettled else { return }
            if let number { engine?.withdraw(number) }
            question.settle(.failure(error))
        }
        let timer = timeout.map { timeout in
            Task {
                try await Task.sleep(for: timeout)
                withdraw(WatchWiseError(.retry, "timeout", "there was no answer within \(timeout)"))
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await question.answer()
        } onCancel: {
            Task { @WatchWiseActor in withdraw(CancellationError()) }
        }
    }

    private static func result(of reply: ClientReply) -> Result<JSONValue, any Error> {
        switch reply {
        case .ok(let ok): .success(ok)
        case .refused(let refusal): .failure(WatchWiseError(refusal.json))
        case .lost: .failure(WatchWiseError.lost)
        }
    }

    private func once(
        _ type: String, _ fields: JSONObject = [:], atOnce: @escaping (JSONValue) -> Void = { _ in }
    ) async throws -> JSONValue {
        try await request(ClientCommand(type: type, fields, persistence: .once), atOnce: atOnce)
    }

    /// A reply that comes now shows everything up to here.
    private var asOf: Int64 { engine.connection.session?.arrived.value ?? 0 }

    /// The rows of all pages of a list, each with the position that it shows.
    private func pages(
        _ type: String, _ name: String, more: String, pagesMax: Int = .max
    ) async throws -> [(row: JSONValue, asOf: Int64)] {
        var rows: [(row: JSONValue, asOf: Int64)] = []
        var next: JSONValue?
        var count = 0
        repeat {
            var fields: JSONObject = ["limit": .integer(Self.page)]
            if let next { fields[more] = next }
            next = try await once(type, fields) { [unowned self] ok in
                let position = asOf
                rows += (ok[name]?.arrayValue ?? []).map { ($0, position) }
            }["next"]
            count += 1
        } while next != nil && count < pagesMax
        return rows
    }

    /// The changes that put the server's state in place of all that is here, but for documents, which are watched again.
    func everything() async throws -> [StoreChange] {
        let chats = try await pages("chats", "chats", more: "before", pagesMax: Self.chatPagesMax)
        let inbox = try await pages("notifications", "notifications", more: "before", pagesMax: Self.inboxPagesMax)
        let topics = try await pages("following", "topics", more: "after")
        let invitations = try await invitations()
        let preferences = try await once("preferences")
        var changes: [StoreChange] = [.clear(.chats), .clear(.messages), .clear(.inbox), .clear(.topics)]
        for (row, asOf) in chats {
            guard let row = row.objectValue else { continue }
            changes.append(.put(.chats, Mirror.chatRow(row, before: nil, asOf: asOf)))
            if let last = row["last"]?.objectValue {
                changes.append(.put(.messages, Mirror.messageRow(last, asOf: asOf)))
            }
        }
        changes += inbox.compactMap { $0.row.objectValue.map { .put(.inbox, $0) } }
        changes += topics.map { .put(.topics, ["topic": $0.row]) }
        changes.append(.note("invitations", .array(invitations)))
        changes += [.note("preferences", preferences), .note("seenUpTo", 0)]
        engine.outbox.feed { outbox, _ in outbox.fetched(preferences: preferences) }
        return changes
    }

    /// None of a server that is older than invitations.
    private func invitations() async throws -> [JSONValue] {
        do {
            return try await pages("room.invitations", "invitations", more: "after").map(\.row)
        } catch let error as WatchWiseError where error.code == "unknown-command" {
            return []
        }
    }

    /// A page of a chat; it is in the store when this is over.
    func history(
        of chat: String, before: Int64?, after: Int64?, limit: Int64, timeout: Duration
    ) async throws -> JSONValue {
        var fields: JSONObject = ["chat": .string(chat), "limit": .integer(min(limit, Self.page))]
        if let before { fields["before"] = .integer(before) }
        if let after { fields["after"] = .integer(after) }
        let reply = try await request(ClientCommand(type: "history", fields), timeout: timeout) { [unowned self] ok in
            let messages = ok.rows("messages")
            let page = Mirror.HistoryPage(before: before, after: after, hasNext: ok["next"] != nil)
            engine.push(.history(chat: chat, messages: messages, page, asOf: asOf))
        }
        engine.flush()
        return reply
    }

    // MARK: Watched documents

    /// Whether a watched path is complete, or why it cannot be watched.
    func state(of path: String) -> (isComplete: Bool, error: WatchWiseError?) {
        (watches[path]?.isActive ?? false, watches[path]?.error)
    }

    /// Takes the positions of the store.
    func load() throws {
        for row in try engine.store.read({ try $0.all(.watches) }) {
            var watch = DocumentWatch(row)
            // As long as a watch is active, it has everything up to the cursor.
            if watch.isActive { watch.rest(at: engine.cursor) }
            watches[watch.path] = watch
        }
    }

    /// The paths that lists watch now.
    func want(_ paths: Set<String>) {
        for path in paths where watches[path]?.isWanted != true {
            watches[path, default: DocumentWatch(path: path)].isWanted = true
            if engine.isLive { beginSoon(path) }
        }
        for path in watches.keys where watches[path]?.isWanted == true && !paths.contains(path) {
            watches[path]?.isWanted = false
            if watches[path]?.isActive == true { end(path) }
        }
        fill()
    }

    /// The store has nothing of these paths any more: the next reader of one gets all of it.
    func forget(_ paths: Set<String>) {
        for path in paths where watches[path]?.isActive == false { watches[path]?.position = nil }
    }

    /// Whether one more path can be watched on this connection.
    private var hasRoom: Bool {
        let number = engine.connection.number
        return watches.values.count { $0.isActive || $0.begun == number } < Self.watchesMax
    }

    /// Paths that found no room get it when others have ended.
    private func fill() {
        guard engine.isLive, hasRoom else { return }
        for (path, watch) in watches where watch.isWanted && !watch.isActive && watch.error?.code == "too-many" {
            beginSoon(path)
        }
    }

    /// No list wants it any more.
    private func end(_ path: String) {
        rest(path)
        engine.submit(ClientCommand(type: "unwatch", ["path": .string(path)], persistence: .once)) { _ in }
    }

    /// Watches belong to a connection. They begin side by side, since the outbox waits for them.
    func watchAgain() async {
        await withTaskGroup { group in
            for (path, watch) in watches where watch.isWanted && !watch.isActive {
                group.addTask { await self.begin(path) }
            }
        }
    }

    func disconnected() {
        for (path, watch) in watches where watch.isActive { rest(path) }
    }

    func unwatched(_ event: JSONValue) {
        guard let path = event["path"]?.stringValue, let watch = watches[path] else { return }
        rest(path)
        let reason = event["reason"]?.stringValue ?? "unavailable"
        guard reason != "unavailable" || !watch.isWanted else {
            return beginSoon(path)
        }
        watches[path]?.error = WatchWiseError(.permanent, reason, "\(path) may not be watched any more")
        tell(path)
    }

    /// From now on only its own position says what the store has of it.
    private func rest(_ path: String) {
        watches[path]?.rest(at: engine.cursor)
        if let row = watches[path]?.row { engine.push(.changes([.put(.watches, row)])) }
        tell(path)
    }

    private func tell(_ path: String) { engine.owner?.engineChanged([.document(path)]) }

    private func beginSoon(_ path: String) {
        // The engine must not go away meanwhile.
        Task { [engine] in
            await begin(path)
            withExtendedLifetime(engine) {}
        }
    }

    private func begin(_ path: String) async {
        let number = engine.connection.number
        guard let watch = watches[path], watch.begun != number else { return }
        guard hasRoom else {
            watches[path]?.error = WatchWiseError(
                .limit, "too-many", "more than \(Self.watchesMax) paths are watched")
            return tell(path)
        }
        watches[path]?.error = nil
        watches[path]?.begun = number
        defer {
            if watches[path]?.begun == number { watches[path]?.begun = nil }
            if watches[path]?.error?.kind == .permanent { fill() }
        }
        do {
            var paths: Set<String> = []
            let take = { [unowned self] (ok: JSONValue) in
                for document in ok["documents"]?.arrayValue ?? [] {
                    if let path = document["path"]?.stringValue { paths.insert(path) }
                    engine.push(.document(DocumentWatch.event(document)))
                }
            }
            var fields: JSONObject = ["path": .string(path)]
            if let position = watch.position { fields["since"] = position.json }
            var reply = try await once("watch", fields, atOnce: take)
            let isWhole = watch.position == nil || reply["reset"] != nil
            while let next = reply["next"] {
                reply = try await once("watch", ["path": .string(path), "after": next], atOnce: take)
            }
            // One that was forgotten meanwhile has not got all.
            guard let seq = reply["seq"]?.integerValue, let epoch = engine.hello?.epoch,
                isWhole || watches[path]?.position != nil
            else { return }
            if isWhole { try removeOthers(of: path, than: paths, seq) }
            watches[path]?.position = ResumePoint(epoch: epoch, seq: Position(seq))
            watches[path]?.isActive = true
            watches[path]?.usedAt = Date.now
            if let row = watches[path]?.row { engine.push(.changes([.put(.watches, row)])) }
            engine.flush()
            if watches[path]?.isWanted == false { end(path) }
        } catch let error as WatchWiseError {
            // The next connection asks again, and this one after a while.
            if error.kind == .permanent { watches[path]?.error = error } else { beginLater(path, error) }
        } catch {
            engine.owner?.engineFailed(error)
        }
        tell(path)
    }

    /// A watch that was refused for now waits as long as the server asks for, and a second more.
    private func beginLater(_ path: String, _ error: WatchWiseError) {
        Task { [weak engine] in
            try? await Task.sleep(for: .milliseconds(error.retryAfterMilliseconds ?? 0) + .seconds(1))
            guard let engine, engine.isLive, let watch = watches[path], watch.isWanted, !watch.isActive else { return }
            withExtendedLifetime(engine) { beginSoon(path) }
        }
    }

    /// The documents of a path that are here, and no longer there.
    private func removeOthers(of path: String, than paths: Set<String>, _ seq: Int64) throws {
        engine.flush()
        let here = try engine.store.read { reader in
            try reader.documents(in: path) + [reader.row(RowKey(.documents, path))].compactMap(\.self)
        }
        for row in here {
            guard let own = row.string("path"), !paths.contains(own) else { continue }
            engine.push(.document(["type": "document", "path": .string(own), "version": 0, "seq": .integer(seq)]))
        }
    }
}

/// A path that was watched, and the position up to which the store has it.
private struct DocumentWatch {
    let path: String
    /// Up to where the store has its documents; nil when it has nothing.
    var position: ResumePoint?
    var usedAt = Date.now
    /// Whether this connection watches it.
    var isActive = false
    var isWanted = false
    /// The number of the connection on which it is being asked for.
    var begun: Int?
    var error: WatchWiseError?

    init(path: String) { self.path = path }

    init(_ row: JSONObject) {
        path = row.string("path") ?? ""
        position = ResumePoint(.object(row))
        usedAt = Date(timeIntervalSince1970: Double(row.integer("usedAt")) / 1000)
        isActive = row.isTrue("isActive")
    }

    var row: JSONObject {
        var row: JSONObject = [
            "path": .string(path), "usedAt": .integer(Int64(usedAt.timeIntervalSince1970 * 1000)),
            "isActive": .bool(isActive),
        ]
        if let position {
            row = row.with(["epoch": .string(position.epoch.text), "seq": .integer(position.seq.value)])
        }
        return row
    }

    /// While it was active, events brought everything up to the cursor.
    mutating func rest(at cursor: ResumePoint?) {
        if isActive, let cursor, position.map({ $0.epoch != cursor.epoch || $0.seq <= cursor.seq }) ?? true {
            position = cursor
        }
        if isActive { usedAt = Date.now }
        isActive = false
    }

    static func event(_ document: JSONValue) -> JSONValue {
        var event = document
        event["type"] = "document"
        return event
    }
}
