package import Log
import Model

/// The rows of the subjects that the writer remembers from one commit to the next: chats, people with marks, erased people; and its
/// prepared statements.
///
/// - Confinement: store
final class SubjectMemory: WriterMemory {
    let statements: SubjectStatements
    let chats: ChatMemory
    /// Whether any device is registered; nil when that is not known. Nearly every write asks.
    var hasPushDevices: Bool?
    /// The users that block, are blocked or restricted, or have limits of their own; nil when that is not known. A user
    /// of whom that is true no longer may stay in it, so it outlives undone writes. Every message asks for its author.
    var marked: Set<StreamID>?
    /// The people who were erased, and the names of those whose erasure is at work; nil when that is not known. Every write
    /// asks for its author.
    var erased: (hasAny: Bool, people: Set<StreamID>, names: [UserID])?
    /// Whether ``erased`` has changed since anything was undone.
    private var isErasedNew = false

    /// - Throws: `DatabaseError` with SQLite's code.
    init(of access: WriteAccess) throws {
        statements = try SubjectStatements(of: access)
        chats = ChatMemory(statements)
    }

    var changeCount: Int { chats.changeCount }

    func flush(noting recorder: WriteRecorder?) throws { try chats.flush(noting: recorder) }

    func forget() {
        chats.forget()
        hasPushDevices = nil
        if isErasedNew { (erased, isErasedNew) = (nil, false) }
    }

    func forgetAll() {
        forget()
        (marked, erased) = (nil, nil)
    }

    /// Other people are erased.
    func forgetErased() { (erased, isErasedNew) = (nil, true) }
}

@available(*, unavailable)
extension SubjectMemory: Sendable {}

extension ReadAccess {
    /// The memory of the writer's connection; nil on a connection that reads.
    var remembered: SubjectMemory? { memory as? SubjectMemory }
}

extension WriteAccess {
    /// The memory of the connection.
    var subjects: SubjectMemory {
        guard let remembered else { preconditionFailure("the writer was opened with the plan of other tables") }
        return remembered
    }
}

// MARK: - Questions that the memory answers

extension ReadAccess {
    /// Whether any device is registered for pushes.
    package func hasAnyPushDevice() throws -> Bool {
        if let known = remembered?.hasPushDevices { return known }
        let has = try number("SELECT EXISTS (SELECT 1 FROM push_devices)") > 0
        remembered?.hasPushDevices = has
        return has
    }

    /// Whether a user may block somebody, be blocked, be restricted, or have limits of their own. False is certain.
    func isMarked(_ user: StreamID) throws -> Bool {
        guard let remembered else { return true }
        if let marked = remembered.marked { return marked.contains(user) }
        let found: [StreamID] = try all(
            """
            SELECT user FROM blocks UNION SELECT other FROM blocks UNION SELECT user FROM restrictions
            UNION SELECT user FROM person_limits
            """
        ) { try $0[0] }
        remembered.marked = Set(found)
        return found.contains(user)
    }
}

extension WriteAccess {
    /// A device was registered, or its registration has ended.
    package func forgetPushDevices() { subjects.hasPushDevices = nil }

    /// Something about the user is written that ``ReadAccess/isMarked(_:)`` must know.
    func mark(_ user: StreamID) { subjects.marked?.insert(user) }

    /// The erased people, as ``SubjectMemory/erased`` has them.
    func knownErased() throws -> (hasAny: Bool, people: Set<StreamID>, names: [UserID]) {
        let subjects = subjects
        if let erased = subjects.erased { return erased }
        let rows: [(StreamID, String?)] = try all(
            "SELECT user, iif(finished IS NULL AND user > 0, name, NULL) FROM erasures"
        ) {
            try ($0[0], $0.optional(1))
        }
        let names = rows.compactMap { $0.1.flatMap(UserID.init(admitted:)) }
        let found = (hasAny: !rows.isEmpty, people: Set(rows.map(\.0).filter { $0 > .nobody }), names: names)
        subjects.erased = found
        return found
    }
}
