import Log
package import Model
import Store

/// The result of a job for one device.
///
/// - Confinement: any
package struct PushTryEntry: Sendable, Hashable {
    /// How the job stands for the device.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// It is sent again, or for the first time, when it is due.
        case open
        /// The push service took it.
        case sent
        /// It was not to be sent; the answer is the reason in one word.
        case skipped
        /// The device does not get it.
        case dropped
        /// It became a dead letter.
        case dead
        /// Its lifetime was over before a push service took it.
        case expired
        /// It was sent, and is taken back.
        case withdrawn
    }

    package let job: Int64
    package let device: Int64
    /// Results that were noted; the next one has a number that is one higher.
    package let attempts: Int64
    /// When it is sent again; nil unless it is open.
    package let due: Timestamp?
    /// How it is sent again, a name of `PushVariant`; nil unless it is open.
    package let variant: String?
    /// Of the last answer; nil when there was none.
    package let status: Int64?
    /// One line: the last answer, or a reason.
    package let answer: String
    package let state: State
    /// When the last result was noted.
    package let at: Timestamp
}

/// Something that a device shows and that is to be taken back.
///
/// A later push with the same tag replaces it on the screen: then the row is over as well, and the tag must not go with that
/// push.
///
/// - Confinement: any
package struct PushGoneEntry: Sendable, Hashable {
    /// The pushes that are taken back.
    package enum Subject: Sendable, Hashable {
        /// The notification at a position, which may be removed since.
        case notification(Position)
        /// The messages of a chat, which were read.
        case messages(ChatID)
    }

    package let id: Int64
    package let device: Int64
    package let subject: Subject
    package let at: Timestamp
}

extension PushTryEntry {
    private enum Column: Int, ColumnName {
        case job, device, attempts, due, variant, status, answer, state, at
    }

    static let query = "SELECT \(Column.list()) FROM push_tries"

    init(_ row: Columns) throws {
        job = try row[Column.job]
        guard let state = try State(rawValue: row[Column.state]) else {
            throw StoredValueProblem(place: "push_tries \(job)")
        }
        device = try row[Column.device]
        attempts = try row[Column.attempts]
        due = try row.optional(Column.due)
        variant = try row.optional(Column.variant)
        status = try row.optional(Column.status)
        answer = try row[Column.answer]
        self.state = state
        at = try row[Column.at]
    }
}

extension PushGoneEntry {
    static let query = """
        SELECT g.id, g.device, g.at, g.seq, c.name FROM push_gone g LEFT JOIN chats c ON c.id = g.chat
        """

    init(_ row: Columns) throws {
        id = try row[0]
        device = try row[1]
        at = try row[2]
        if let position: Position = try row.optional(3) {
            subject = .notification(position)
        } else {
            guard let chat = try ChatID(row[4] as String) else { throw StoredValueProblem(place: "push_gone \(id)") }
            subject = .messages(chat)
        }
    }
}
