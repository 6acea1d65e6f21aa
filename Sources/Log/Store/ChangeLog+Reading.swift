package import Log
package import Model

// The entries of the log that a user reads.
extension ChangeLog {
    /// The positions after `position` of everything the user reads, ascending, at most `limit`.
    ///
    /// Reads little more than it returns, in however many streams the entries lie.
    package func positions(of user: UserEntry, after position: Position, limit: Int) throws -> [Position] {
        var parts = try parts(of: user, after: position)
        // A user reads each stream in ranges that do not touch, and reads one stream of nearly all entries. An entry
        // for several topics comes from each that is followed, and is taken once.
        return try PositionMerge.merge(after: parts.map(\.after), limit: limit) { index, after, limit in
            try positions(in: &parts[index], after: after, limit: limit)
        }
    }

    /// Whether the user reads more than `count` entries after `position`; looks at one more than that, at most.
    package func isMore(than count: Int, of user: UserEntry, after position: Position) throws -> Bool {
        var left = count + 1
        for part in try parts(of: user, after: position) {
            if case .messages(let first, let last) = part.place {
                left -= Int(min(Int64(left), last - first + 1))
            } else {
                left -= Int(
                    try access.number(
                        part.query.count,
                        [part.stream.value, part.after.value, part.upTo.value, left] + part.more
                    )
                )
            }
            if left <= 0 { return true }
        }
        return false
    }

    /// The parts of streams that hold, or held, something for the user after `position`.
    private func parts(of user: UserEntry, after position: Position) throws -> [LogPart] {
        let follows = FollowTable(access: access)
        let isAnyShared = try !EntryStreamTable(access: access).isEmpty()
        var parts = [LogPart(place: .second, stream: user.id, after: position)]
        for (stream, since, _) in try follows.readableStreams(of: user, changedAfter: position) {
            parts.append(LogPart(stream: stream, after: max(since, position), isShared: isAnyShared))
        }
        try addChats(of: user, after: position, to: &parts)
        try addPastRooms(of: user.id, after: position, to: &parts)
        for past in try follows.ended(of: user.id, after: position) {
            parts.append(
                LogPart(
                    stream: past.stream, after: max(past.since, position), upTo: past.until, isShared: isAnyShared))
        }
        return parts
    }

    /// A chat's messages are found by their numbers, its other events (and messages from before migration 14) by its
    /// stream.
    private func addChats(of user: UserEntry, after position: Position, to parts: inout [LogPart]) throws {
        let chats = try ChatTable(access: access).changed(of: user, after: position)
        guard !chats.isEmpty else { return }
        let messages = MessageTable(access: access)
        let numbered = try numberedFrom()
        for chat in chats {
            let stream = StreamID(chat: chat.id)
            let start = max(position, numbered, chat.since)
            var part = LogPart(stream: stream, after: max(position, chat.since))
            if chat.since > .zero { part.joined = chat.since }
            parts.append(part)
            guard chat.at > start else { continue }
            let first = try messages.firstNumber(of: chat.id, after: start, last: chat.last)
            parts.append(LogPart(place: .messages(next: first, last: chat.last), stream: stream, after: start))
        }
    }

    /// The rooms that the user was in, up to where that ended.
    private func addPastRooms(of user: StreamID, after position: Position, to parts: inout [LogPart]) throws {
        let messages = MessageTable(access: access)
        for past in try RoomTable(access: access).ended(of: user, after: position) {
            let (stream, start) = (StreamID(chat: past.chat), max(position, past.since))
            var part = LogPart(stream: stream, after: start, upTo: past.until)
            part.joined = past.since
            parts.append(part)
            let first = try messages.firstNumber(of: past.chat, after: start, last: past.last)
            let last = try messages.firstNumber(of: past.chat, after: past.until, last: past.last) - 1
            guard first <= last else { continue }
            parts.append(LogPart(place: .messages(next: first, last: last), stream: stream, after: start))
        }
    }

    /// Entries after this position have the numbers of their messages.
    private func numberedFrom() throws -> Position {
        guard let value = try access.metaNumber(.numberedFrom) else { throw MetaText.numberedFrom.problem }
        return Position(value)
    }

    private func positions(in part: inout LogPart, after: Position, limit: Int) throws -> [Position] {
        if case .messages(let next, let last) = part.place, case .chat(let chat) = part.stream.kind {
            let left = max(0, Int(clamping: last - next + 1))
            let found = try MessageTable(access: access).positions(of: chat, from: next, limit: min(limit, left))
            part.place = .messages(next: next + Int64(found.count), last: last)
            return found
        }
        return try access.all(
            part.query.first, [part.stream.value, after.value, part.upTo.value, limit] + part.more
        ) { try $0[0] }
    }
}

/// A part of a stream that a user reads: the entries after `after`, up to `upTo`.
///
/// - Confinement: any
private struct LogPart {
    enum Place {
        case stream
        /// Entries of documents, and those from before migration 11, lie in two streams.
        case second
        /// The messages of a chat with these numbers, the stream is the chat's; `next` is yet to be read.
        case messages(next: MessageNumber, last: MessageNumber)
    }

    var place = Place.stream
    let stream: StreamID
    let after: Position
    var upTo = Position(Position.bound)
    /// Whether entries may lie in it that have another stream of their own.
    var isShared = false
    /// In a room the position at which the user has joined: changes of messages before it are left out.
    var joined: Position?

    /// Gives the positions of its entries after ?2, up to ?3.
    var query: PositionQuery {
        if joined != nil { return .ofRoom }
        if case .second = place { return .ofSecond }
        return isShared ? .ofShared : .ofStream
    }

    /// The argument ?5 of the query of a room.
    var more: [(any StatementArgument)?] { joined.map { [$0.value] } ?? [] }
}

/// Statements whose text is made once: a resume runs one for each stream.
///
/// - Confinement: any
private struct PositionQuery {
    let positions: String
    /// The first ?4 of them, ascending.
    let first: String
    /// How many they are, counted up to ?4.
    let count: String

    private init(_ positions: String) {
        self.positions = positions
        first = positions + " ORDER BY seq LIMIT ?4"
        count = "SELECT count(*) FROM (SELECT 1 FROM (\(positions)) LIMIT ?4)"
    }

    static let ofSecond = PositionQuery("SELECT seq FROM changes WHERE second = ?1 AND seq > ?2 AND seq <= ?3")
    static let ofStream = PositionQuery(
        "SELECT seq FROM changes WHERE \(LoggedEvent.isOfStream) AND seq > ?2 AND seq <= ?3")
    static let ofRoom = PositionQuery(
        ofStream.positions
            + " AND NOT EXISTS (SELECT 1 FROM room_changes WHERE room_changes.seq = changes.seq AND message <= ?5)")
    static let ofShared = PositionQuery(
        ofStream.positions + " UNION ALL SELECT seq FROM entry_streams WHERE stream = ?1 AND seq > ?2 AND seq <= ?3")
}
