import ClientProtocol
import Model
import Services

/// What a command comes to, whichever way it arrived.
///
/// - Confinement: any
enum CommandWork {
    case write(any WriteUseCase)
    case read(any ReadUseCase)
    /// The answer is the time.
    case ping
    case typing(Command.Typing)
    /// Only for those who have a session.
    case presence(Command.Presence)
    /// Only for those who have a session.
    case watch(Command.Watch)
    /// Only for those who have a session.
    case unwatch(Command.Unwatch)
    /// Only for those who have a session.
    case hello

    /// - Parameter deviceLanguage: of the device that asks, where it said so.
    /// - Throws: `Refusal` when a command is not what it must be, or this server does not know it.
    init(_ command: Command, deviceLanguage: LanguageTag?) throws(Refusal) {
        switch command {
        case .hello: self = .hello
        case .ping: self = .ping
        case .recommend(let command): self = .write(RecommendProduct(command))
        case .send(let command): self = .write(SendMessage(command))
        case .read(let command): self = .write(MarkRead(command))
        case .follow(let command): self = .write(FollowTopic(command.topic, isOn: true, key: command.key))
        case .unfollow(let command): self = .write(FollowTopic(command.topic, isOn: false, key: command.key))
        case .seen(let command): self = .write(MarkSeen(command))
        case .snooze(let command): self = .write(SnoozeNotifications(command))
        case .ack(let command): self = .write(AcknowledgePosition(command.seq))
        case .preferences(let command):
            self = if let set = command.set { .write(try ChangePreferences(set)) } else { .read(ReadPreferences()) }
        case .chats(let command): self = .read(ListChats(command))
        case .history(let command): self = .read(ReadHistory(command))
        case .following(let command): self = .read(ListFollowing(command))
        case .followers(let command): self = .read(ListFollowers(command))
        case .notifications(let command):
            self = .read(ListNotifications(command, deviceLanguage: deviceLanguage))
        case .typing(let command): self = .typing(command)
        case .presence(let command): self = .presence(command)
        case .get(let command): self = .read(ReadDocument(command.path))
        case .put(let command):
            self = .write(Self.write(command.path, .put(command.data), command.ifVersion, command.key))
        case .patch(let command):
            self = .write(Self.write(command.path, .patch(command.data), command.ifVersion, command.key))
        case .remove(let command):
            self = .write(Self.write(command.path, .delete, command.ifVersion, command.key))
        case .watch(let command): self = .watch(command)
        case .unwatch(let command): self = .unwatch(command)
        case .edit, .delete, .react, .roomCreate, .roomInvite, .roomLeave, .device, .block, .unblock, .report, .search:
            throw Refusal(
                .unknownCommand, "this server does not know the command \(command.name.rawValue) yet", field: "type")
        }
    }

    private static func write(
        _ path: DocumentPath, _ operation: DocumentWrite.Operation, _ ifVersion: Int64?, _ key: WriteKey
    ) -> WriteDocuments {
        WriteDocuments(DocumentWrite(path: path, operation: operation, ifVersion: ifVersion), key: key)
    }
}
