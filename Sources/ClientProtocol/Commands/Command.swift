/// A command of a client, in form as the contract wants it; rights and existence are for the services to judge.
///
/// - Confinement: any
package enum Command: Sendable, Equatable {
    case hello(Hello)
    case ack(Ack)
    case ping
    case recommend(Recommend)
    case send(Send)
    case edit(Edit)
    case delete(Delete)
    case react(React)
    case read(Read)
    case typing(Typing)
    case chats(Chats)
    case history(History)
    case search(Search)
    case roomCreate(RoomCreate)
    case roomInvite(RoomInvite)
    case roomLeave(RoomLeave)
    case follow(Follow)
    case unfollow(Unfollow)
    case following(Following)
    case followers(Followers)
    case notifications(Notifications)
    case seen(Seen)
    case snooze(Snooze)
    case preferences(Preferences)
    case device(Device)
    case presence(Presence)
    case block(Block)
    case unblock(Unblock)
    case report(Report)
    case get(Get)
    case put(Put)
    case patch(Patch)
    case remove(Remove)
    case watch(Watch)
    case unwatch(Unwatch)

    /// The name on the wire, for metrics, logs and limits by command.
    package var name: CommandName {
        switch self {
        case .hello: .hello
        case .ack: .ack
        case .ping: .ping
        case .recommend: .recommend
        case .send: .send
        case .edit: .edit
        case .delete: .delete
        case .react: .react
        case .read: .read
        case .typing: .typing
        case .chats: .chats
        case .history: .history
        case .search: .search
        case .roomCreate: .roomCreate
        case .roomInvite: .roomInvite
        case .roomLeave: .roomLeave
        case .follow: .follow
        case .unfollow: .unfollow
        case .following: .following
        case .followers: .followers
        case .notifications: .notifications
        case .seen: .seen
        case .snooze: .snooze
        case .preferences: .preferences
        case .device: .device
        case .presence: .presence
        case .block: .block
        case .unblock: .unblock
        case .report: .report
        case .get: .get
        case .put: .put
        case .patch: .patch
        case .remove: .remove
        case .watch: .watch
        case .unwatch: .unwatch
        }
    }
}

/// A command with the number under which its reply is awaited.
///
/// - Confinement: any
package struct CommandEnvelope: Sendable, Equatable {
    /// Nil when the client wants no reply.
    package var id: RequestID?
    package var command: Command

    package init(id: RequestID?, command: Command) {
        self.id = id
        self.command = command
    }
}

/// A command that was refused at the door.
///
/// - Confinement: any
package struct RefusedCommand: Error, Sendable, Hashable {
    /// The id that the refusal answers; nil when there was none, or none that could be read.
    package var id: RequestID?
    package var refusal: Refusal
    /// Whether it is answered even without an id, with `re` null: when nobody can say whether there was one.
    package var isAlwaysAnswered: Bool

    package init(id: RequestID?, refusal: Refusal, isAlwaysAnswered: Bool = false) {
        self.id = id
        self.refusal = refusal
        self.isAlwaysAnswered = isAlwaysAnswered
    }
}
