import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// The actions of people in rooms, with messages, and against each other.
extension Workload {
    /// One action beyond those of chats of two.
    func actSocially(_ device: Device) throws {
        let social = world.social
        if social.hasRooms { for _ in 0...Dice.below(2) { actInRoom(device) } }
        if social.hasChanges, Dice.once(in: 2) { change(device) }
        if social.hasBlocks, Dice.once(in: 4) { block(device) }
        if social.hasSchedules, Dice.once(in: 4) { schedule() }
        if social.hasErasures { try erase() }
    }

    // MARK: Rooms

    private func actInRoom(_ device: Device) {
        let rooms = world.ledger.social.rooms
        guard rooms.count >= 3 || Dice.once(in: 4) == false, !rooms.isEmpty else { return createRoom(device) }
        let known = Dice.once(in: 4) ? rooms : device.rooms.sorted()
        guard let room = Dice.pick(known.isEmpty ? rooms : known) else { return }
        switch Dice.below(20) {
        case 0: write(RoomInviteCommand.self, ["chat": .string(room), "members": .array(somebody())], device)
        case 1:
            // Whether or not somebody has invited the user.
            let chat: JSONObject = ["chat": .string(Dice.pick(rooms) ?? room)]
            switch Dice.below(4) {
            case 0: write(RoomJoinCommand.self, ["chat": .string(room)], device)
            case 1: write(RoomDeclineCommand.self, chat, device)
            default: write(RoomAcceptCommand.self, chat, device)
            }
        case 2: write(RoomLeaveCommand.self, ["chat": .string(room)], device)
        case 3, 4: remove(from: room, device)
        case 5: giveRole(in: room, device)
        case 6: mute(in: room, device)
        case 7: update(room, device)
        case 8...9:
            guard let n = device.lastNumber(in: room), let chat = ChatID(room) else { return }
            device.ask(.read(chat, upTo: n - Int64(Dice.below(Int(min(n, 3)))))) { _ in }
        default: for _ in 0...Dice.below(3) { sendInRoom(room, device) }
        }
    }

    private func createRoom(_ device: Device) {
        var fields: JSONObject = ["members": .array(somebody())]
        if Dice.once(in: 3) { fields["open"] = true }
        if Dice.once(in: 4) { fields["history"] = .string(Dice.once(in: 2) ? "all" : "joined") }
        guard let key = world.ledger.makeKey() else { return }
        fields["title"] = .string("Room " + key.text)
        write(RoomCreateCommand.self, fields, device, key)
    }

    private func sendInRoom(_ room: String, _ device: Device) {
        guard let key = world.ledger.makeKey() else { return }
        write(SendCommand.self, ["chat": .string(room), "text": .string(Self.text(key))], device, key)
    }

    private func remove(from room: String, _ device: Device) {
        guard let other = other(than: device) else { return }
        var fields: JSONObject = ["chat": .string(room), "user": .string(other.text)]
        if Dice.once(in: 4) { fields["ban"] = .bool(Dice.once(in: 2)) }
        write(RoomRemoveCommand.self, fields, device)
    }

    private func giveRole(in room: String, _ device: Device) {
        guard let other = Dice.once(in: 4) ? device.user : other(than: device),
            let role = Dice.pick(["owner", "moderator", "moderator", "member"])
        else { return }
        write(
            RoomRoleCommand.self, ["chat": .string(room), "user": .string(other.text), "role": .string(role)], device)
    }

    private func mute(in room: String, _ device: Device) {
        guard let other = other(than: device) else { return }
        var fields: JSONObject = ["chat": .string(room), "user": .string(other.text)]
        let end = Timestamp(milliseconds: sim_wall() + 2000 + Int64(Dice.below(8000)))
        if Dice.once(in: 2) { fields["until"] = .string(end.text) }
        write(RoomMuteCommand.self, fields, device)
    }

    private func update(_ room: String, _ device: Device) {
        guard let key = world.ledger.makeKey() else { return }
        var fields: JSONObject = ["chat": .string(room)]
        if Dice.once(in: 3) {
            fields["posting"] = .string(Dice.once(in: 3) ? "moderators" : "all")
        } else {
            fields["title"] = .string("Room " + key.text)
        }
        write(RoomUpdateCommand.self, fields, device, key)
    }

    // MARK: Messages that change

    private func change(_ device: Device) {
        let messages = device.events.suffix(80).filter { event in
            event.name == .message && event.body["product"] == nil && event.body["deleted"] == nil
                && event.body["key"] != nil
        }
        let isOwn = Dice.once(in: 2)
        let candidates = messages.filter { ($0.body["from"]?.stringValue == device.user.text) == isOwn }
        guard let message = Dice.pick(candidates)?.body, let key = world.ledger.makeKey() else { return }
        var place: JSONObject = [:]
        for name in ["chat", "n"] { place[name] = message[name] }
        switch Dice.below(4) {
        case 0 where isOwn || Dice.once(in: 4):
            write(DeleteCommand.self, place, device, key)
        case 1 where isOwn:
            place["text"] = .string(Self.text(key))
            write(EditCommand.self, place, device, key)
        default:
            place["emoji"] = .string(Dice.pick(["👍", "🎬", "💤"]) ?? "👍")
            place["on"] = .bool(!Dice.once(in: 3))
            write(ReactCommand.self, place, device, key)
        }
    }

    // MARK: Blocks

    private func block(_ device: Device) {
        guard let other = other(than: device) else { return }
        let fields: JSONObject = ["user": .string(other.text)]
        Dice.once(in: 2) ? write(BlockCommand.self, fields, device) : write(UnblockCommand.self, fields, device)
    }

    // MARK: Broadcasts that wait

    /// Asks for a broadcast at a moment, or when each person's clock shows a time; or takes one back.
    private func schedule() {
        let waiting = world.ledger.notices.filter { $0.at != nil && $0.id != nil && !$0.isWithdrawn }
        if Dice.once(in: 4), let notice = Dice.pick(waiting) {
            notice.isWithdrawn = true
            return world.feed.add(.withdrawal(notice))
        }
        guard let key = world.ledger.makeKey(), let zone = Dice.pick(World.zones) else { return }
        let time = sim_wall() + Int64(Dice.below(30_000))
        let at = Dice.once(in: 2) ? Timestamp(milliseconds: time).text : zone.wall(at: time)
        let audience =
            Dice.once(in: 2)
            ? "everyone"
            : Dice.once(in: 2)
                ? Dice.pick(World.people).map { "user:" + $0.text } : Dice.pick(World.topics)?.text
        let notice = Ledger.Notice(key.text, to: audience ?? "everyone", at: at)
        world.ledger.notices.append(notice)
        world.feed.add(.notice(notice, key: key))
    }

    // MARK: Parts

    /// The text of a message, which is found in no other one.
    static func text(_ key: WriteKey) -> String { "[\(key.text)]" }

    private func other(than device: Device) -> UserID? { Dice.pick(world.people.filter { $0 != device.user }) }

    /// Some people, or nobody but one.
    private func somebody() -> [JSONValue] {
        let some = world.people.filter { _ in Dice.once(in: 2) }
        return (some.isEmpty ? [World.people[0]] : some).map { .string($0.text) }
    }

    private func write<Kind: Command>(
        _ kind: Kind.Type, _ fields: JSONObject, _ device: Device, _ key: WriteKey? = nil
    ) {
        guard let key = key ?? world.ledger.makeKey() else { return }
        var fields = fields
        fields["key"] = .string(key.text)
        submit(ClientCommand(kind, fields), key, from: device)
    }
}
