import Execution
import JSON
import Model
import Store
import Triggers

/// A past change, with all that a trigger needs to run on it again.
///
/// - Confinement: any
struct PastChange: Sendable {
    let position: Position
    let change: DocumentChange
    /// When it was written; nil when that is not known exactly.
    let at: Timestamp?
    /// The writer: `user alice`, `admin operator`; nil when that is not known.
    let by: String?
    /// The command: `put`, `delete`, or another name.
    let command: String
    /// Whether it was there before anybody asked for it: then triggers notified of nothing.
    var isBackfill = false
    /// The triggers through which it came about.
    var chain = TriggerChain.none

    /// The user who wrote it; nil when that was no user, or is not known.
    var writer: UserID? {
        guard let by, by.hasPrefix("user ") else { return nil }
        return UserID(stored: String(by.dropFirst(5)))
    }

    /// The work of reading it, in the unit of ``WorkMeter``.
    var work: Int { TriggerLimits.evaluationWork + 2 * change.byteCount / TriggerLimits.bytesPerWork }
}

/// The changes of the past, as long as the log is kept: documents from their versions, messages, recommendations and
/// follows from the log and the tables in which they stand.
///
/// - Confinement: store
struct ChangeHistory {
    let transaction: Transaction
    let collections: TopicCollections

    /// Everything after this position is known.
    func knownFrom() throws -> Position { try transaction.retention.from() }

    /// The changes at a position: none, one, or two, because a recommendation is a message, too.
    func changes(at position: Position) throws -> [PastChange] {
        if let version = try transaction.history.find(position) {
            return try change(version).map { [$0] } ?? []
        }
        return try transaction.log.events(in: position.value...position.value).flatMap { try changes($0) }
    }

    /// A past change with the other documents that a row reads, as they were then.
    func change(_ past: PastChange, for trigger: CompiledTrigger) throws -> DocumentChange {
        try OtherDocumentsReading(transaction: transaction)
            .complete(past.change, for: trigger, asOf: past.position)
    }

    /// The changes of a path before a position, newest first.
    func newest(of path: DocumentPath, before position: Position, limit: Int) throws -> [PastChange] {
        var positions: [Position] = []
        if let (topic, follower) = collections.follow(at: path) {
            positions = try self.positions(ofFollow: topic, by: follower)
        } else {
            positions = try transaction.history.positions(of: path.text, before: position, limit: limit)
            positions = (positions + (try self.positions(ofMessageAt: path))).sorted(by: >)
        }
        return try positions.filter { $0 < position }.prefix(limit).flatMap { position in
            try changes(at: position).filter { $0.change.path == path }
        }
    }

    /// The changes of a path after a position, the next one first.
    func following(_ path: DocumentPath, after position: Position, limit: Int) throws -> [PastChange] {
        var positions: [Position]
        if let (topic, follower) = collections.follow(at: path) {
            positions = try self.positions(ofFollow: topic, by: follower).reversed()
        } else {
            positions = try transaction.history.positions(of: path.text, after: position, limit: limit)
            positions = (positions + (try self.positions(ofMessageAt: path))).sorted()
        }
        return try positions.filter { $0 > position }.prefix(limit).flatMap { position in
            try changes(at: position).filter { $0.change.path == path }
        }
    }

    /// The changes in a range whose paths a pattern matches, ascending.
    ///
    /// It reads a few hundred positions at a time, so that it reads little more than it returns.
    ///
    /// - Returns: at most `limit` of them, and the position up to which these are all.
    func matching(
        _ pattern: PathPattern,
        in range: ClosedRange<Int64>,
        limit: Int
    ) throws -> (changes: [PastChange], upTo: Int64) {
        var changes: [PastChange] = []
        var start = range.lowerBound
        while start <= range.upperBound {
            let end = min(range.upperBound, start + Self.positionsAtATime - 1)
            for place in try places(pattern, in: start...end) {
                let here = try place.event.map { try self.changes($0) } ?? self.changes(at: place.position)
                let matching = here.filter { pattern.match($0.change.path) != nil }
                guard changes.count + matching.count <= limit else { return (changes, place.position.value - 1) }
                changes += matching
            }
            start = end + 1
        }
        return (changes, range.upperBound)
    }

    private static let positionsAtATime: Int64 = 250

    /// The positions where documents of a pattern may have changed, ascending.
    private func places(
        _ pattern: PathPattern,
        in range: ClosedRange<Int64>
    ) throws -> [(position: Position, event: LoggedEvent?)] {
        let prefix = (pattern.levels.first?.collection ?? "") + "/"
        var found: [(position: Position, event: LoggedEvent?)] = []
        for (position, path) in try transaction.history.changed(in: range) where path.hasPrefix(prefix) {
            found.append((position, nil))
        }
        let names = Self.eventNames(of: pattern)
        if !names.isEmpty {
            for event in try transaction.log.events(in: range) where names.contains(Self.name(of: event)) {
                found.append((event.position, event))
            }
            found.sort { $0.position < $1.position }
        }
        return found
    }

    private static func name(of event: LoggedEvent) -> EventName? {
        event.json.map { StoredEvent.name(of: $0) } ?? .message
    }

    /// The names of the events of the log that change such paths; none when commands write no such paths.
    private static func eventNames(of pattern: PathPattern) -> [EventName?] {
        let names = pattern.levels.map(\.collection)
        if names == ["chats", "messages"] || names == ["recommendations"] {
            return [.message, .messageEdited, .messageDeleted]
        }
        return names.count == 2 && names[1] == "followers" ? [.followed, .unfollowed] : []
    }
}

// MARK: - Documents

extension ChangeHistory {
    private func change(_ version: DocumentVersion) throws -> PastChange? {
        guard let path = try? DocumentPath(version.path) else {
            throw StoredValueProblem(place: "document_versions.path, seq \(version.position)")
        }
        if StandingDocuments.message(at: path) != nil { return try seen(version, path) }
        let before = try Self.document(version.before)
        let after = try Self.document(version.after)
        guard before != nil || after != nil else { return nil }
        return PastChange(
            position: version.position,
            change: DocumentChange(
                path: path,
                event: before == nil ? .create : after == nil ? .delete : .update,
                before: before,
                after: after
            ),
            at: version.at,
            by: version.by,
            command: after == nil ? "delete" : "put",
            isBackfill: version.isBackfill,
            chain: version.chain
        )
    }

    private static func document(_ body: String?) throws -> JSONValue? {
        try body.map { .object(try StoredJSON.object($0, place: "document_versions.before")) }
    }

    /// A recommendation was seen.
    private func seen(_ version: DocumentVersion, _ path: DocumentPath) throws -> PastChange? {
        guard let (chat, n, _) = StandingDocuments.message(at: path), let entry = try transaction.chats.find(chat),
            let message = try transaction.messages.find(n, in: entry.id), let product = message.product,
            let from = try transaction.users.name(of: message.author), let to = chat.other(than: from)
        else { return nil }
        let stored = try StoredJSON.object(product, place: "messages.product")
        let document = { (seen: Bool) in
            StandingDocuments.recommendation(from: from, to: to, product: stored, note: message.text, seen: seen)
        }
        return PastChange(
            position: version.position,
            change: DocumentChange(path: path, event: .update, before: document(false), after: document(true)),
            at: version.at,
            by: version.by,
            command: "read",
            chain: version.chain
        )
    }
}

// MARK: - What commands write

extension ChangeHistory {
    private func changes(_ logged: LoggedEvent) throws -> [PastChange] {
        if let json = logged.json { return try changes(json, logged) }
        return try logged.number.map { try sent($0, in: logged.stream) } ?? []
    }

    private func changes(_ json: String, _ logged: LoggedEvent) throws -> [PastChange] {
        let event = try StoredJSON.object(json, place: "changes.body, seq \(logged.position)")
        switch event["type"]?.stringValue.flatMap(EventName.init) {
        case .message: return sent(event, at: logged.position)
        case .messageEdited: return edited(event, at: logged.position)
        case .messageDeleted: return try deleted(event, at: logged.position)
        case .followed: return try follow(event, logged, isOn: true).map { [$0] } ?? []
        case .unfollowed: return try follow(event, logged, isOn: false).map { [$0] } ?? []
        default: return []
        }
    }

    private func follow(_ event: JSONObject, _ logged: LoggedEvent, isOn: Bool) throws -> PastChange? {
        guard let topic = event["topic"]?.stringValue.flatMap(Topic.init),
            let follower = try transaction.users.name(of: logged.stream),
            let path = collections.followPath(of: topic, by: follower)
        else { return nil }
        let at = event["at"]?.stringValue.flatMap { Timestamp($0) }
        // Events of earlier versions have no time, but the document needs one.
        let time = try at ?? transaction.retention.firstMark(from: logged.position)?.at ?? Timestamp(milliseconds: 0)
        let document = StandingDocuments.follow(topic, by: follower, at: time)
        return PastChange(
            position: logged.position,
            change: DocumentChange(
                path: path,
                event: isOn ? .create : .delete,
                // Spelled out: a bare nil would be the value null.
                before: isOn ? .none : .some(document),
                after: isOn ? .some(document) : .none
            ),
            at: at,
            by: "user \(follower.text)",
            command: isOn ? "follow" : "unfollow"
        )
    }

    /// Where a follow began and ended, newest first.
    private func positions(ofFollow topic: Topic, by follower: UserID) throws -> [Position] {
        guard let id = try transaction.users.number(of: follower), let stream = try transaction.streams.find(topic)
        else { return [] }
        let since = try transaction.follows.since(follower: id, stream: stream.id).map { [$0] } ?? []
        let past = try transaction.follows.past(follower: id, stream: stream.id)
        return since + past.flatMap { [$0.until, $0.since] }
    }

    /// Where a message was sent, and where it was last changed.
    private func positions(ofMessageAt path: DocumentPath) throws -> [Position] {
        guard let (chat, n, _) = StandingDocuments.message(at: path), let entry = try transaction.chats.find(chat)
        else { return [] }
        guard let message = try transaction.messages.find(n, in: entry.id) else { return [] }
        return [message.position, message.changePosition].compactMap { $0 }
    }
}
