package import Model
import Push
package import Store

/// The facts about its user that a session needs at the start. They are read on one snapshot, so that position and counts
/// agree.
///
/// - Confinement: any
package struct SessionStart: Sendable {
    package let user: UserEntry
    package let head: Position
    package let counts: UnreadCounts
    /// The streams that the user follows, and of the rooms that the user is in, at ``head``.
    package let streams: [StreamID]
    /// The rooms among them with something unread.
    package let unreadRooms: [StreamID]
    /// The last use of the session's device, if it is registered for pushes.
    private let deviceUse: PushDeviceUse?

    /// Whether the session's device is registered, and its `hello` worth a note: a day after the last use, or with another language.
    package func isUseOutdated(by language: LanguageTag?, at now: Timestamp) -> Bool {
        deviceUse?.isOutdated(by: language, at: now) ?? false
    }

    /// Nil when the user is not known yet; also for the pseudonym of an erased person, which ``RegisterUser`` then refuses.
    ///
    /// - Parameter device: of the session; nil when it named none.
    package init?(of name: UserID, device: String? = nil, in transaction: Transaction) throws {
        guard try !transaction.erasures.isPseudonym(name), let user = try transaction.users.find(name) else {
            return nil
        }
        try self.init(user, device: device, in: transaction)
    }

    /// The same for a user that is known.
    package init(_ user: UserEntry, device: String? = nil, in transaction: Transaction) throws {
        self.user = user
        head = try transaction.log.head()
        counts = try transaction.unread(of: user)
        streams = try transaction.follows.streams(of: user.id) + transaction.rooms.streams(of: user)
        unreadRooms = try transaction.rooms.unreadStreams(of: user)
        deviceUse = try device.flatMap { try transaction.pushDevices.use(of: $0, of: user.id) }
    }
}
