import ClientProtocol
package import JSON
package import Model
package import Store

/// Who asks.
///
/// - Confinement: any
package enum Actor: Sendable, Hashable {
    /// A user by number and name, as the session's `hello` found him, with the roles that his token says.
    case user(StreamID, UserID, roles: Set<RoleName> = [])
    /// An operator or a server of the application, by the subject of the admin token.
    case administrator(UserID)
    /// The server itself: schedules.
    case server

    /// The operator, where it is one.
    package var administrator: UserID? {
        guard case .administrator(let subject) = self else { return nil }
        return subject
    }

    /// As the history of documents names who wrote: `user alice`, `admin operator`, `server`.
    var text: String {
        switch self {
        case .user(_, let name, _): "user \(name.text)"
        case .administrator(let subject): "admin \(subject.text)"
        case .server: "server"
        }
    }
}

/// Something that changes state: one command of the contract, or one call of the admin API.
///
/// Its `prepare` half (what can be checked without the database) is its initializer; `perform` is the half that runs on
/// the writer's thread, in the command's own savepoint: a pure function of the state and the command. Time and
/// randomness are decided before and travel with the request.
///
/// - Confinement: any; ``perform(in:)`` on the writer's thread
package protocol WriteUseCase: Sendable {
    /// The client's own id of this write; nil when it is no matter if it is done twice.
    var key: WriteKey? { get }

    /// Adds everything that distinguishes this write from another under the same key.
    func addContent(to fingerprint: inout Fingerprint)

    /// The data that belong to the answer of this write, which was done before and is repeated; nil when they cannot be had
    /// any more.
    func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]?

    /// What whoever fetches feeds must know of this write when it is done; nil of all that is not about feeds.
    var feedNews: FeedNews? { get }

    /// Checks and writes.
    ///
    /// - Returns: writes the members of the reply's `ok` object.
    /// - Throws: `Refusal`, after which nothing of it is written; or the database's error.
    func perform(in context: WriteContext, reply: inout JSONWriter) throws
}

extension WriteUseCase {
    package var key: WriteKey? { nil }
    package var feedNews: FeedNews? { nil }
    package func addContent(to fingerprint: inout Fingerprint) {}
    package func dataLeft(by reply: KeptReply, in transaction: WriteTransaction) throws -> [UInt8]? { nil }
}

/// What a write says to whoever fetches feeds.
///
/// - Confinement: any
package enum FeedNews: Sendable {
    /// The feeds themselves have changed.
    case changed
    /// Everything of a feed is to be asked for now.
    case run(String)
}

/// Something that only reads; runs on a reader's thread, on one snapshot.
///
/// - Confinement: any; ``perform(in:)`` on a reader's thread
package protocol ReadUseCase: Sendable {
    /// - Returns: writes the members of the reply's `ok` object.
    /// - Throws: `Refusal`, or the database's error.
    func perform(in context: ReadContext, reply: inout JSONWriter) throws
}

/// What a reading use case is given.
///
/// - Confinement: store (a reader's thread)
package struct ReadContext {
    package let transaction: Transaction
    package let actor: Actor
    package let now: Timestamp
    package let collections: TopicCollections
    package let rules: RulesInForce

    package init(
        transaction: Transaction,
        actor: Actor,
        now: Timestamp,
        collections: TopicCollections,
        rules: RulesInForce = RulesInForce()
    ) {
        self.rules = rules
        self.transaction = transaction
        self.actor = actor
        self.now = now
        self.collections = collections
    }

    /// The user who asks.
    ///
    /// - Throws: `Refusal` when it is not a user who asks.
    func user() throws -> UserEntry {
        guard case .user(let id, _, _) = actor, let user = try transaction.users.find(id) else {
            throw Refusal(.forbidden, "only users may do this, and the subject of the token is not a user id")
        }
        return user
    }
}

/// A digest of a write's content (FNV-1a, 64 bits), kept with its key to tell a repetition from a reuse.
///
/// Not a defence: a user who finds a collision fools only himself.
///
/// - Confinement: any
package struct Fingerprint {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// The digest, as the database keeps it.
    package var value: Int64 { Int64(bitPattern: state) }

    /// Adds a text; where it ends counts too, so that `ab`, `c` is not `a`, `bc`.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte: byte) }
        add(byte: 0xff)
    }

    /// Adds a text that may be absent, which is not the same as empty.
    package mutating func add(_ text: String?) {
        add(byte: text == nil ? 0xfe : 0xfd)
        if let text { add(text) }
    }

    /// Adds a number that may be absent, by its decimal digits.
    package mutating func add(_ number: Int64?) {
        add(number.map { String($0) })
    }

    private mutating func add(byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}
