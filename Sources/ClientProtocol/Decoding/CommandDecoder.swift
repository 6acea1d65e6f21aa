import JSON
import Model

/// Turns one text message of a client into a command, or into the refusal that answers it.
///
/// - Confinement: any
package enum CommandDecoder {
    /// Reads one command.
    ///
    /// - Parameters:
    ///   - bytes: One whole message.
    ///   - messageBytesMax: Longer messages are refused as `too-large`.
    /// - Returns: The command, or a refusal. The refusal has the command's id whenever it can be found, also in a text
    ///   that is not valid JSON.
    package static func decode(
        _ bytes: [UInt8],
        messageBytesMax: Int = Limits.messageBytesMax
    ) -> Result<CommandEnvelope, RefusedCommand> {
        guard bytes.count <= messageBytesMax else {
            let refusal = Refusal(.tooLarge, "a command has at most \(messageBytesMax) bytes")
            return .failure(RefusedCommand(id: IDSalvage.id(in: bytes), refusal: refusal, isAlwaysAnswered: true))
        }
        let fields: Fields
        do throws(JSONError) {
            var reader = JSONReader(bytes, depthMax: Limits.jsonDepthMax)
            fields = try Fields(&reader, path: "")
            try reader.end()
        } catch {
            return .failure(
                RefusedCommand(id: IDSalvage.id(in: bytes), refusal: Refusal(error), isAlwaysAnswered: true))
        }
        var id: RequestID?
        do throws(Refusal) {
            id = try fields.optional("id")?.requestID()
            return .success(CommandEnvelope(id: id, command: try command(name(fields), fields)))
        } catch {
            return .failure(RefusedCommand(id: id, refusal: error, isAlwaysAnswered: error.field == "id"))
        }
    }

    /// The id of a message that is refused before it is decoded; nil when none can be found.
    package static func id(in bytes: [UInt8]) -> RequestID? { IDSalvage.id(in: bytes) }

    private static func name(_ fields: Fields) throws(Refusal) -> CommandName {
        let type = try fields.required("type").string()
        guard let name = CommandName(rawValue: type) else {
            let near = NearestName.of(type, among: CommandName.allCases.map(\.rawValue))
            let hint = near.map { "; did you mean '\($0)'?" } ?? ""
            throw Refusal(.unknownCommand, "there is no command '\(type.prefix(64))'\(hint)", field: "type")
        }
        return name
    }

    private static func command(_ name: CommandName, _ fields: Fields) throws(Refusal) -> Command {
        switch name {
        case .hello: .hello(try Command.Hello(fields))
        case .ack: .ack(try Command.Ack(fields))
        case .ping: .ping
        case .recommend: .recommend(try Command.Recommend(fields))
        case .send: .send(try Command.Send(fields))
        case .edit: .edit(try Command.Edit(fields))
        case .delete: .delete(try Command.Delete(fields))
        case .react: .react(try Command.React(fields))
        case .read: .read(try Command.Read(fields))
        case .typing: .typing(try Command.Typing(fields))
        case .chats: .chats(try Command.Chats(fields))
        case .history: .history(try Command.History(fields))
        case .search: .search(try Command.Search(fields))
        case .roomCreate: .roomCreate(try Command.RoomCreate(fields))
        case .roomInvite: .roomInvite(try Command.RoomInvite(fields))
        case .roomLeave: .roomLeave(try Command.RoomLeave(fields))
        case .follow: .follow(try Command.Follow(fields))
        case .unfollow: .unfollow(try Command.Unfollow(fields))
        case .following: .following(try Command.Following(fields))
        case .followers: .followers(try Command.Followers(fields))
        case .notifications: .notifications(try Command.Notifications(fields))
        case .seen: .seen(try Command.Seen(fields))
        case .snooze: .snooze(try Command.Snooze(fields))
        case .preferences: .preferences(try Command.Preferences(fields))
        case .device: .device(try Command.Device(fields))
        case .presence: .presence(try Command.Presence(fields))
        case .block: .block(try Command.Block(fields))
        case .unblock: .unblock(try Command.Unblock(fields))
        case .report: .report(try Command.Report(fields))
        case .get: .get(try Command.Get(fields))
        case .put: .put(try Command.Put(fields))
        case .patch: .patch(try Command.Patch(fields))
        case .remove: .remove(try Command.Remove(fields))
        case .watch: .watch(try Command.Watch(fields))
        case .unwatch: .unwatch(try Command.Unwatch(fields))
        }
    }
}

extension Field {
    /// The command's id; nil for an empty string, which asks for no reply.
    fileprivate func requestID() throws(Refusal) -> RequestID? {
        guard token.kind == .number || token.kind == .string else { throw refusal("must be a number or a string") }
        return RequestID(bytes, at: token)
    }
}
