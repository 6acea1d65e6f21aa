/// The rights of a member of a room; a greater role may do all that a lesser one may.
///
/// - Confinement: any
package enum RoomRole: String, Sendable, Hashable, CaseIterable, Comparable {
    case member, moderator, owner

    /// The roles, for error messages.
    package static let form = "one of owner, moderator, member"

    private var rank: Int {
        switch self {
        case .member: 0
        case .moderator: 1
        case .owner: 2
        }
    }

    package static func < (lesser: RoomRole, greater: RoomRole) -> Bool { lesser.rank < greater.rank }
}

/// The members who may write into a room.
///
/// - Confinement: any
package enum RoomPosting: String, Sendable, Hashable, CaseIterable {
    case all, moderators

    /// The words, for error messages.
    package static let form = "all or moderators"
}

/// The messages of a room that exist for a member.
///
/// - Confinement: any
package enum RoomHistory: String, Sendable, Hashable, CaseIterable {
    /// Those since the member has joined.
    case joined
    case all

    /// The words, for error messages.
    package static let form = "joined or all"
}

/// How a room is set up.
///
/// - Confinement: any
package struct RoomSettings: Sendable, Hashable {
    package var title: String
    /// Whether anybody may join, and every member may invite.
    package var isOpen: Bool
    package var posting: RoomPosting
    package var history: RoomHistory
    /// Seconds between the messages of one member; 0 for no limit.
    package var pace: Int64

    package init(
        title: String, isOpen: Bool, posting: RoomPosting = .all, history: RoomHistory? = nil, pace: Int64 = 0
    ) {
        self.title = title
        self.isOpen = isOpen
        self.posting = posting
        self.history = history ?? (isOpen ? .all : .joined)
        self.pace = pace
    }
}
