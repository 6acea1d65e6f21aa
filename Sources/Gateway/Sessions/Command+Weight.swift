import ClientProtocol
import JSON
import Model

extension Command {
    /// What the command costs the server, in units of one small command, beside its bytes; see Limits.md for the table.
    var weight: Int {
        switch self {
        case .history(let command): 1 + command.limit / Limits.rowsPerWeight
        case .chats(let command): 1 + command.limit / Limits.rowsPerWeight
        case .notifications(let command): 1 + command.limit / Limits.rowsPerWeight
        case .following(let command): 1 + command.limit / Limits.rowsPerWeight
        case .followers(let command): 1 + command.limit / Limits.rowsPerWeight
        case .search(let command): Limits.searchWeight + command.limit / Limits.rowsPerWeight
        case .presence(let command): 1 + command.watch.count / Limits.rowsPerWeight
        case .watch(let command): command.path.isDocument ? 2 : Limits.collectionWeight
        case .patch: 2
        case .snooze(let command): 1 + command.ids.count / Limits.idsPerWeight
        case .seen(.ids(let ids)): 1 + ids.count / Limits.idsPerWeight
        case .seen(.upTo): 1
        case .hello, .ack, .ping, .recommend, .send, .edit, .delete, .react, .read, .typing, .roomCreate,
            .roomInvite, .roomLeave, .follow, .unfollow, .preferences, .device, .block, .unblock, .report,
            .get, .put, .remove, .unwatch:
            1
        }
    }

    /// About how many bytes the command takes from when it is read until it is answered.
    ///
    /// - Parameter payload: the message that it was read from.
    func heldBytes(readFrom payload: [UInt8]) -> Int {
        switch self {
        case .put, .patch: Limits.orderBytes + JSONValue.treeBytes(ofText: payload)
        case .preferences(let command):
            Limits.orderBytes + (command.set == nil ? payload.count : JSONValue.treeBytes(ofText: payload))
        case .presence(let command): Limits.orderBytes + payload.count + command.watch.count * 64
        case .snooze(let command): Limits.orderBytes + payload.count + command.ids.count * 64
        case .seen(.ids(let ids)): Limits.orderBytes + payload.count + ids.count * 64
        default: Limits.orderBytes + payload.count
        }
    }
}
