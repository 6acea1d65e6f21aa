import Log
package import Model

/// A broadcast as stored.
///
/// - Confinement: any
package struct BroadcastEntry: Sendable {
    /// How far a broadcast has come.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// It waits for its time; nobody has got it.
        case scheduled
        /// By the recipients' clocks: some have got it, others will.
        case sending
        case sent
        case cancelled
        /// Its own end came before its time could be kept: the server was off. Nobody has got it.
        case expired

        /// The same as SQL over a row.
        var condition: String {
            switch self {
            case .scheduled: "cancelled IS NULL AND due IS NOT NULL AND sent IS NULL"
            case .sending: "cancelled IS NULL AND due IS NOT NULL AND sent IS NOT NULL"
            case .sent: "cancelled IS NULL AND due IS NULL AND sent IS NOT NULL"
            case .cancelled: "cancelled IS NOT NULL"
            case .expired: "cancelled IS NULL AND due IS NULL AND sent IS NULL"
            }
        }
    }

    package let id: Int64
    /// The position of its newest notification; where it has none, of the write that made it.
    package let position: Position
    /// The positions of its notifications before that: by the recipients' clocks each group of time zones has one.
    package let earlier: [Position]
    package let audience: String
    /// People it is for: when it was sent, or, before, when it was asked for.
    package let size: Int64
    /// When it was asked for.
    package let at: Timestamp
    /// When the next of it is to be sent; nil when nothing waits.
    package let due: Timestamp?
    /// When the newest of it was sent; nil when nothing was.
    package let sent: Timestamp?
    /// JSON of what it says; nil for one of a program that did not keep it.
    package let wanted: String?
    package let isCancelled: Bool

    package var state: State {
        if isCancelled { return .cancelled }
        if due != nil { return sent == nil ? .scheduled : .sending }
        return sent == nil ? .expired : .sent
    }

    /// The positions of all its notifications.
    package var positions: [Position] { earlier + [position] }
}

extension BroadcastEntry {
    private enum Column: Int, ColumnName {
        case id, seq, earlier, audience, size, at, due, sent, wanted, cancelled
    }

    static let query = "SELECT \(Column.list()) FROM broadcasts"

    init(_ row: Columns) throws {
        id = try row[Column.id]
        position = try row[Column.seq]
        let earlier: String? = try row.optional(Column.earlier)
        self.earlier = (earlier ?? "").split(separator: " ").compactMap { Int64($0) }.map { Position($0) }
        audience = try row[Column.audience]
        size = try row[Column.size]
        at = try row[Column.at]
        due = try row.optional(Column.due)
        sent = try row.optional(Column.sent)
        wanted = try row.optional(Column.wanted)
        let cancelled: Timestamp? = try row.optional(Column.cancelled)
        isCancelled = cancelled != nil
    }
}
