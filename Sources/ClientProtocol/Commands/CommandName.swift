/// Every command of the contract; the raw value is the `type` on the wire.
///
/// - Confinement: any
package enum CommandName: String, Sendable, Hashable, CaseIterable {
    case hello, ack, ping
    case recommend, send, edit, delete, react, read, typing, chats, history, search
    case roomCreate = "room.create"
    case roomInvite = "room.invite"
    case roomLeave = "room.leave"
    case follow, unfollow, following, followers
    case notifications, seen, snooze, preferences, device
    case presence, block, unblock, report
    case get, put, patch, remove, watch, unwatch
}
