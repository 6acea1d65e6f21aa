import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// Compares the events of rooms with the memberships, as the changes of the rooms say: members got everything from their
/// joining on, and somebody who left or was removed got nothing later.
/// - Confinement: the one thread
struct RoomAudit {
    /// A room as its events make it.
    struct Room {
        struct Member {
            var role: String
            /// The number of the first message after the joining.
            let first: Int64
            let since: Int64
            /// Whether the member has made or entered the room by themselves, or has written in it.
            var isWilling: Bool
        }

        /// The members, by name.
        var members: [String: Member] = [:]
        var last: Int64 = 0
        /// Whether messages from before the joining exist for a member.
        var isAll = false
        /// Whether no member was willing when the last owner went.
        var mayLackOwner = false
        /// The messages, as they are now.
        var messages: [Int64: Device.Event] = [:]
        /// The position of the newest edit or deletion of a message.
        var changedAt: [Int64: Int64] = [:]
    }

    /// A membership that has ended.
    private struct Past {
        let room: String
        let since: Int64
        let until: Int64
    }

    private let world: World
    private(set) var rooms: [String: Room] = [:]
    private var past: [String: [Past]] = [:]
    /// The users that must have each event, by position.
    private var audiences: [Int64: Set<String>] = [:]
    private var union: [Int64: Device.Event] = [:]
    /// Messages that were changed after a user had left the room: the log gives them no more.
    private(set) var skipped: [String: [Device.Event]] = [:]
    /// Whether every change of every room is known: an erased person has no log.
    private var isWhole: Bool { world.ledger.social.erasures.isEmpty }

    /// - Parameter logs: All events of each user, as the log has them now.
    /// - Throws: ``Broken``
    init(_ world: World, _ logs: [UserID: [Device.Event]]) throws {
        self.world = world
        for (user, events) in logs {
            for event in events where event.room != nil {
                if let known = union[event.seq], known.body.without() != event.body.without() {
                    throw Broken("\(user) has \(event.body.text), and others have \(known.body.text)")
                }
                union[event.seq] = event
            }
        }
        for event in union.values.sorted(by: { $0.seq < $1.seq }) { try take(event) }
        for (user, events) in logs { try compare(user.text, Set(events.filter { $0.room != nil }.map(\.seq))) }
    }

    private mutating func take(_ event: Device.Event) throws {
        guard let name = event.room else { return }
        var room = rooms[name] ?? Room()
        defer { rooms[name] = room }
        let n = event.body["n"]?.integerValue ?? 0
        switch event.name {
        case .room: return try change(&room, name, event)
        case .message:
            let from = event.body["from"]?.stringValue ?? ""
            guard !isWhole || room.members[from] != nil else {
                throw Broken("\(from) is no member: \(event.body.text)")
            }
            guard n > room.last else { throw Broken("message \(n) of \(name) came after \(room.last)") }
            room.last = n
            room.messages[n] = event
            room.members[from]?.isWilling = true
            audiences[event.seq] = Set(room.members.keys)
        case .messageEdited, .messageDeleted, .reaction:
            if event.name != .reaction { room.changedAt[n] = event.seq }
            audiences[event.seq] = Set(room.members.filter { room.isAll || $0.value.first <= n }.keys)
        default: audiences[event.seq] = Set(room.members.keys)
        }
    }

    private mutating func change(_ room: inout Room, _ name: String, _ event: Device.Event) throws {
        room.isAll = event.body["room"]?["history"] == "all"
        let people = event.people
        let role = event.body["room"]?["role"]?.stringValue
        switch event.body["change"] {
        case "created", "joined":
            for person in people {
                guard room.members[person] == nil else { throw Broken("\(person) was a member: \(event.body.text)") }
                room.members[person] = Room.Member(
                    role: role ?? "", first: room.last + 1, since: event.seq,
                    isWilling: event.body["by"]?.stringValue == person)
            }
            audiences[event.seq] = Set(room.members.keys)
        case "left", "removed":
            audiences[event.seq] = Set(room.members.keys)
            for person in people {
                guard let member = room.members.removeValue(forKey: person) else {
                    guard !isWhole else { throw Broken("\(person) was no member: \(event.body.text)") }
                    continue
                }
                past[person, default: []].append(Past(room: name, since: member.since, until: event.seq))
            }
        default:
            if event.body["change"] == "role" { for person in people { room.members[person]?.role = role ?? "" } }
            audiences[event.seq] = Set(room.members.keys)
        }
        guard isWhole else { return }
        guard event.body["room"]?["members"]?.integerValue == Int64(room.members.count) else {
            throw Broken("\(name) has \(room.members.keys.sorted()): \(event.body.text)")
        }
        let hasOwner = room.members.values.contains { $0.role == "owner" }
        room.mayLackOwner = !hasOwner && (room.mayLackOwner || !room.members.values.contains(where: \.isWilling))
        guard room.members.isEmpty || hasOwner || room.mayLackOwner || mayLackOwner(event)
        else { throw Broken("\(name) has no owner after \(event.body.text)") }
    }

    /// The next event makes another one the owner.
    private func mayLackOwner(_ event: Device.Event) -> Bool {
        guard let next = union[event.seq + 1] else { return false }
        return next.room == event.room && next.body["change"] == "role"
    }

    /// Compares the events of a user with those that the user must have.
    private mutating func compare(_ user: String, _ found: Set<Int64>) throws {
        for (seq, audience) in audiences.sorted(by: { $0.key < $1.key }) {
            guard let event = union[seq], let name = event.room else { continue }
            let isSkipped = audience.contains(user) && isGone(event, in: name, for: user)
            if isSkipped { skipped[user, default: []].append(event) }
            guard found.contains(seq) == (audience.contains(user) && !isSkipped) else {
                throw Broken(
                    found.contains(seq)
                        ? "\(user) hears of \(name) without being a member: \(event.body.text)"
                        : "\(user) is a member of \(name) and lacks \(event.body.text)")
            }
        }
    }

    /// Whether a message was changed after the user had left.
    private func isGone(_ event: Device.Event, in name: String, for user: String) -> Bool {
        guard event.name == .message, let n = event.body["n"]?.integerValue,
            let changedAt = rooms[name]?.changedAt[n],
            let until = past[user]?.first(where: {
                $0.room == name && $0.since <= event.seq && event.seq <= $0.until
            })?.until
        else { return false }
        return changedAt > until
    }

    // MARK: The state

    /// Checks lists of a user against the rooms as their events make them.
    ///
    /// - Parameter all: all pages of a list.
    /// - Throws: ``Broken``
    func checkLists(
        of user: String, all: (_ member: String, _ page: @escaping (String?) -> ClientCommand) throws -> [JSONValue]
    ) throws {
        let own = rooms.filter { $0.value.members[user] != nil }
        let listed = try all("rooms") { ClientCommand(RoomsCommand.self, Self.page($0)) }
        guard Set(listed.compactMap { $0["chat"]?.stringValue }) == Set(own.keys) else {
            throw Broken("the rooms of \(user) are \(listed.map(\.text)), not \(own.keys.sorted())")
        }
        for (name, room) in own.sorted(by: { $0.key < $1.key }) {
            let members = try all("members") { next in
                var fields = Self.page(next)
                fields["chat"] = .string(name)
                return ClientCommand(RoomMembersCommand.self, fields)
            }
            let roles = members.map { ($0["user"]?.stringValue ?? "", $0["role"]?.stringValue ?? "") }
            guard !isWhole || Dictionary(uniqueKeysWithValues: roles) == room.members.mapValues(\.role) else {
                throw Broken("\(name) has \(members.map(\.text)), not \(room.members)")
            }
            guard let chat = ChatID(name) else { throw Broken("\(name) is no chat") }
            let history = try all("messages") { ClientCommand.history(chat, after: $0.flatMap { Int64($0) } ?? 0) }
            try check(history, of: room, name, user)
        }
    }

    private static func page(_ next: String?) -> JSONObject { next.map { ["after": .string($0)] } ?? [:] }

    private func check(_ history: [JSONValue], of room: Room, _ name: String, _ user: String) throws {
        let first = room.isAll ? 1 : room.members[user]?.first ?? 1
        let numbers = history.compactMap { $0["n"]?.integerValue }
        let lacking = room.messages.keys.filter { $0 >= first && !numbers.contains($0) }.sorted()
        guard lacking.isEmpty, numbers == numbers.sorted(), numbers.first ?? first >= first,
            !isWhole || numbers.isEmpty || numbers == Array(first...(numbers.last ?? first))
        else {
            throw Broken("the history of \(name) for \(user), from \(first) on, is \(numbers) without \(lacking)")
        }
        for message in history {
            guard let n = message["n"]?.integerValue, let event = room.messages[n] else { continue }
            guard ["from", "text", "at", "deleted"].allSatisfy({ message[$0] == event.body[$0] }) else {
                throw Broken("\(user) reads \(message.text) in \(name), and got \(event.body.text)")
            }
        }
        if isWhole, history.isEmpty == false || first <= room.last, numbers.last ?? 0 < room.last {
            throw Broken("the history of \(name) for \(user) ends before \(room.last)")
        }
    }
}
