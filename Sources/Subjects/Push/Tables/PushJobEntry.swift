import Log
package import Model
import Store

/// A push that is to be sent to the devices of one user, or of all readers of a stream.
///
/// - Confinement: any
package struct PushJobEntry: Sendable, Hashable {
    /// How far a job has come.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Nothing of it is settled yet.
        case waiting
        /// Some of its users are settled.
        case begun
        /// All of its users are settled, or nobody gets it any more.
        case ended
    }

    package let id: Int64
    package let kind: PushKind
    /// The notification, also of a withdrawal: the one that is taken back. Of a message the first that the job is about.
    package let position: Position
    /// An inbox, a topic, everyone, or a chat.
    package let stream: StreamID
    /// Whether many read the stream: personal jobs and those of chats go before these.
    package let isShared: Bool
    /// The number of the first message that it is about; nil for all other kinds.
    package let chatFrom: MessageNumber?
    /// The number of the newest message that it has decided about; nil before, and for all other kinds.
    package let judged: MessageNumber?
    package let level: InterruptionLevel
    /// When its write was committed.
    package let at: Timestamp
    /// When the sender may look at it.
    package let due: Timestamp
    /// After this nothing of it is sent; see ``PushLifetime``.
    package let ends: Timestamp
    /// Of a quiet update the job of the version that it replaces; of a withdrawal the job that is taken back.
    package let previous: Int64?
    /// Whether it keeps only tries that are open or have failed, because its devices are too many.
    package let isLarge: Bool
    /// The number of the last user that is settled.
    package let cursor: StreamID
    package let state: State
    /// Devices whose push service took the push.
    package let pushed: Int64
    /// Devices that were skipped, for whatever reason.
    package let skipped: Int64
    /// Devices that were given up.
    package let failed: Int64
}

/// A job before it is stored.
///
/// - Confinement: any
package struct PushJobDraft: Sendable, Hashable {
    package var kind: PushKind
    package var position: Position
    package var stream: StreamID
    package var isShared = false
    package var chatFrom: MessageNumber?
    package var level: InterruptionLevel
    package var at: Timestamp
    /// ``at`` if nothing else is said.
    package var due: Timestamp
    package var ends: Timestamp
    package var previous: Int64?

    /// - Parameter expires: The notification's own end.
    package init(
        _ kind: PushKind, at position: Position, in stream: StreamID, _ level: InterruptionLevel,
        expires: Timestamp? = nil, committed: Timestamp
    ) {
        self.kind = kind
        self.position = position
        self.stream = stream
        self.level = level
        at = committed
        due = committed
        ends = PushLifetime.end(of: kind, level, expires: expires, committed: committed)
    }
}

extension PushJobEntry {
    private enum Column: Int, ColumnName {
        case id, kind, seq, stream, shared, chatFrom, judged, level, at, due, ends, previous, large, cursor, state
        case pushed, skipped, failed
    }

    static let query = "SELECT \(Column.list()) FROM push_jobs"

    init(_ row: Columns) throws {
        id = try row[Column.id]
        guard let kind = try PushKind(rawValue: row[Column.kind]),
            let level = try InterruptionLevel(rawValue: row[Column.level]),
            let state = try State(rawValue: row[Column.state])
        else { throw StoredValueProblem(place: "push_jobs \(id)") }
        self.kind = kind
        position = try row[Column.seq]
        stream = try row[Column.stream]
        isShared = try row[Column.shared]
        chatFrom = try row.optional(Column.chatFrom)
        judged = try row.optional(Column.judged)
        self.level = level
        at = try row[Column.at]
        due = try row[Column.due]
        ends = try row[Column.ends]
        previous = try row.optional(Column.previous)
        isLarge = try row[Column.large]
        cursor = try row[Column.cursor]
        self.state = state
        pushed = try row[Column.pushed]
        skipped = try row[Column.skipped]
        failed = try row[Column.failed]
    }
}
