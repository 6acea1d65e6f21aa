import ClientProtocol
import GRDB
import JSON
import Model
import Session
import SimulatedKernel

/// Compares the server's state with the truth, when all is quiet.
/// - Confinement: the one thread
struct Audit {
    /// The triggers that the workload fires.
    static let triggers = ["director-release", "new-follower", "recommendation"]

    private let world: World

    init(_ world: World) { self.world = world }

    private var ledger: Ledger { world.ledger }

    /// - Throws: ``Broken``
    func run() throws {
        var replays: [UserID: (replay: Replay, auditor: Device)] = [:]
        try ErasureAudit(world: world).run()
        let old = world.devices
        for user in world.remaining {
            replays[user] = (try Replay([], of: user), try world.addDevice(of: user, isComplete: true))
        }
        try world.run(until: sim_now() + 60_000) { world.devices.allSatisfy { $0.isStopped || $0.isLive } }
        try world.settle(milliseconds: 1000)
        let logs = replays.mapValues(\.auditor.events)
        let rooms = try RoomAudit(world, logs)
        var social = SocialAudit(world, logs)
        try social.run()
        for user in world.remaining {
            guard let auditor = replays[user]?.auditor else { continue }
            let replay = try Replay(auditor.events, of: user)
            replays[user] = (replay, auditor)
            try ErasureAudit(world: world).check(auditor.events, of: user)
            let skipped = rooms.skipped[user.text] ?? []
            for device in old where device.user == user {
                try compare(device, with: auditor, replay, skipped)
                try checkTold(device, against: (auditor.events + skipped).sorted { $0.seq < $1.seq })
            }
            try checkCounts(of: replay, user)
            try checkTriggers(of: replay)
            var digests = DigestAudit(ledger: ledger, replay: replay)
            try digests.run(auditor.events)
            try checkAnswers(to: auditor, replay)
            try rooms.checkLists(of: user.text) { try all($0, of: auditor, $1) }
            try social.checkStanding(replay, auditor)
        }
        try NoticeAudit(world: world, replays: replays.mapValues(\.replay)).run()
        if world.isCluster {
            try PresenceAudit(world: world, replays: replays.mapValues(\.replay), isBlocked: social.isBlocked).run()
        }
        try checkNumbers(replays.mapValues(\.replay))
        try checkWrites(logs, rooms)
        try checkAtRest(replays.mapValues(\.replay))
    }

    // MARK: Events

    /// Compares a device with a new one: it must have the same events; its additional ones must be of kinds that the
    /// log need not repeat.
    ///
    /// - Parameter skipped: messages that the log gives no more.
    private func compare(
        _ device: Device, with auditor: Device, _ replay: Replay, _ skipped: [Device.Event]
    ) throws {
        guard let from = device.beganAt else { return }
        let told = Dictionary(device.events.map { ($0.seq, $0) }) { first, _ in first }
        let truth = Dictionary(auditor.events.map { ($0.seq, $0) }) { first, _ in first }
        let upTo = device.isStopped ? device.cursor : .max
        for event in auditor.events where event.seq > from && event.seq <= upTo {
            guard let own = told[event.seq] else {
                throw Broken("\(device.name) never got \(event.seq): \(event.body.text)")
            }
            guard ledger.isSame(own, as: event) else {
                throw Broken("\(device.name) got \(own.body.text), and now it is \(event.body.text)")
            }
        }
        let gone = Set(skipped.map(\.seq))
        for event in device.events where truth[event.seq] == nil && !gone.contains(event.seq) {
            // Entries of somebody who is erased may be gone from the log.
            if ledger.plain(event.body) != event.body.text { continue }
            let id = event.body["id"]?.stringValue ?? ""
            let isForeign = event.body["topic"]?.stringValue != "user:\(replay.user)"
            guard event.name == .notification, replay.removed[id] != nil || isForeign else {
                throw Broken("\(device.name) got what is not in the log: \(event.body.text)")
            }
        }
    }

    private func checkCounts(of replay: Replay, _ user: UserID) throws {
        for device in world.devices where device.user == user && !device.isStopped {
            guard device.counts == replay.unread else {
                throw Broken("\(device.name) was told \(device.counts as Any), and it is \(replay.unread)")
            }
        }
    }

    /// Checks that each count of a device was true at a position after its events at that time, and that the positions
    /// never go back on one connection.
    private func checkTold(_ device: Device, against events: [Device.Event]) throws {
        // An erasure may have taken out of the log the entries that counted then.
        guard ledger.social.erasures.isEmpty else { return }
        var replay = try Replay([], of: device.user)
        var next = 0
        for told in device.told {
            if told.mayBeEarlier { (replay, next) = (try Replay([], of: device.user), 0) }
            while next < events.count, events[next].seq <= told.after || replay.unread != told.counts {
                try replay.apply(events[next])
                next += 1
            }
            guard replay.unread == told.counts else {
                throw Broken(
                    "\(device.name) was told \(told.counts) after \(told.after), which was true nowhere from there on")
            }
        }
    }

    /// Checks that each trigger has fired once for each change and recipient.
    private func checkTriggers(of replay: Replay) throws {
        func fired(_ recommendation: String) -> [Replay.Notification] {
            replay.notifications.filter {
                $0.kind == "recommendation" && $0.data["recommendation"]?.stringValue == recommendation
            }
        }
        let erased = ledger.social.erasures.compactMap(\.pseudonym)
        for (chat, messages) in replay.messages {
            for message in messages
            where message.body["product"] != nil && message.from != replay.user && !erased.contains(message.from) {
                let found = fired("\(chat)-\(message.n)")
                guard found.count == 1 else {
                    throw Broken(
                        "\(replay.user) was notified \(found.count) times of recommendation \(message.n) in \(chat)")
                }
                // Reading the chat removes it.
                let reason = message.n <= replay.read[chat, default: 0] ? "read" : nil
                guard replay.removed[found[0].id] == reason else {
                    throw Broken("\(found[0].id) of \(replay.user) is gone: \(replay.removed[found[0].id] ?? "no")")
                }
            }
        }
        try ReleaseAudit(ledger: ledger, replay: replay).run()
    }

    // MARK: Lists

    private func checkAnswers(to auditor: Device, _ replay: Replay) throws {
        let listed = try all("notifications", of: auditor) { ClientCommand.notifications(before: $0) }
        guard listed.compactMap({ $0["id"]?.stringValue }) == replay.visible.reversed().map(\.id) else {
            throw Broken("the notifications of \(replay.user) are not those he got")
        }
        let chats = try all("chats", of: auditor) { ClientCommand.chats(before: $0) }
        let pairs = replay.messages.filter { !$0.key.hasPrefix("room:") }
        guard Set(chats.compactMap { $0["chat"]?.stringValue }) == Set(pairs.keys).union(replay.rooms) else {
            throw Broken("the chats of \(replay.user) are not those he got messages of")
        }
        let topics = try all("topics", of: auditor) { after in
            ClientCommand(FollowingCommand.self, after.map { ["after": .string($0), "limit": 200] } ?? ["limit": 200])
        }
        guard Set(topics.compactMap(\.stringValue)) == Set(replay.follows.keys) else {
            throw Broken("\(replay.user) follows \(topics), not \(replay.follows.keys.sorted())")
        }
        for (name, messages) in pairs.sorted(by: { $0.key < $1.key }) {
            guard let chat = ChatID(name) else { throw Broken("\(name) is no chat") }
            let history = try all("messages", of: auditor) { next in
                ClientCommand.history(chat, after: next.flatMap { Int64($0) } ?? 0)
            }
            guard history.count == messages.count,
                zip(history, messages).allSatisfy({ entry, message in
                    ["n", "from", "text", "at"].allSatisfy { entry[$0] == message.body[$0] }
                })
            else { throw Broken("the history of \(name) is not what \(replay.user) got") }
        }
    }

    /// All pages of a list.
    private func all(
        _ member: String, of auditor: Device, _ page: (String?) -> ClientCommand
    ) throws -> [JSONValue] {
        var found: [JSONValue] = []
        var next: String?
        repeat {
            var answer: ClientReply?
            auditor.ask(page(next)) { answer = $0 }
            try world.run(until: sim_now() + 60_000) { answer != nil }
            guard case .ok(let body) = answer, let entries = body[member]?.arrayValue else {
                throw Broken("\(member) was answered with \(answer as Any)")
            }
            found += entries
            next = body["next"]?.stringValue
        } while next != nil
        return found
    }

    // MARK: Writes

    /// Checks that the messages of a chat are numbered without gaps in the order of the log, and that both members have
    /// the same.
    private func checkNumbers(_ replays: [UserID: Replay]) throws {
        for (user, replay) in replays {
            for (chat, messages) in replay.messages {
                guard let other = ChatID(chat)?.other(than: user), replays[other] != nil else { continue }
                guard messages.map(\.n) == Array(1...Int64(messages.count)) else {
                    throw Broken("\(chat) of \(user) is numbered \(messages.map(\.n))")
                }
                guard let theirs = replays[other]?.messages[chat],
                    theirs.map({ $0.body.without() }) == messages.map({ $0.body.without() })
                else { throw Broken("the members of \(chat) do not have the same messages") }
            }
        }
    }

    /// Checks that each acknowledged write exists once, as acknowledged, and each other write once or not at all.
    private func checkWrites(_ logs: [UserID: [Device.Event]], _ rooms: RoomAudit) throws {
        var posted: [String: [JSONValue]] = [:]
        let messages = logs.values.joined().filter { $0.name == .message }
        let distinct = Dictionary(messages.map { ($0.seq, $0.body) }) { first, _ in first }
        for message in distinct.values where logs.keys.contains(where: { message["from"] == .string($0.text) }) {
            posted[message["key"]?.stringValue ?? "no key", default: []].append(message)
        }
        for write in ledger.writes
        where write.command.name == SendCommand.name || write.command.name == RecommendCommand.name {
            guard logs[write.user] != nil else { continue }
            let found = posted.removeValue(forKey: write.key.text) ?? []
            guard found.count <= 1 else { throw Broken("\(write.key) was done \(found.count) times") }
            if let refusal = write.refusal, !found.isEmpty {
                let way = write.isPosted ? ", posted," : ""
                throw Broken("\(write.key)\(way) was refused, and done: \(refusal.message)")
            }
            if let reply = write.reply {
                guard let message = found.first else {
                    if mayBeGone(write, reply, rooms) { continue }
                    throw Broken("\(write.key) was acknowledged, and is lost")
                }
                guard ["chat", "n", "seq"].allSatisfy({ reply[$0].map(ledger.plain) == message[$0].map(ledger.plain) })
                else {
                    throw Broken("\(write.key) was acknowledged as \(reply.text), and is \(message.text)")
                }
            }
            guard let message = found.first else { continue }
            let text =
                write.command.name == SendCommand.name ? write.command.fields["text"] : write.command.fields["note"]
            guard message["text"] == text || message["rev"]?.integerValue ?? 1 > 1 else {
                throw Broken("\(write.key) says \(message.text)")
            }
        }
        let strange = posted.keys.sorted()
        guard strange.isEmpty else { throw Broken("messages that nobody wrote: \(strange)") }
    }

    /// Whether the log need not have a message: its readers had left the room before it was changed, or the chat went
    /// with an erased person.
    private func mayBeGone(_ write: Ledger.Write, _ reply: JSONValue, _ rooms: RoomAudit) -> Bool {
        guard let chat = reply["chat"]?.stringValue, let n = reply["n"]?.integerValue else { return false }
        if let room = rooms.rooms[chat] { return room.changedAt[n] != nil }
        let other = ChatID(chat)?.other(than: write.user)
        return ledger.social.erasures.contains { $0.user == other && $0.mode == "remove" }
    }

    // MARK: The database at rest

    /// After a last crash or a stop: the database is whole, with every key and every row of the triggers.
    private func checkAtRest(_ replays: [UserID: Replay]) throws {
        if world.isCluster { try NodesAudit.comeTogether(world) }
        for machine in world.members {
            // A node that follows may lose its newest entries with the power, and reads them again.
            machine.crash(isPowerCut: Dice.once(in: 2) && !world.isCluster, isSilent: false)
            try Audit.checkDisk(of: machine, against: ledger)
            try ErasureAudit(world: world).check(machine)
        }
        try NodesAudit.checkEqual(world.members)
        // The notifications that an erased person has caused are taken out of the table.
        guard ledger.social.erasures.isEmpty else { return }
        let follows = replays.values.map { $0.followCount.filter { $0.key.hasPrefix("user:") }.values.reduce(0, +) }
        let products = replays.values.joined.count { $0.body["product"] != nil } / 2
        var expected = ["new-follower": follows.reduce(0, +), "recommendation": products]
        for (name, seq) in try trials() { expected[name] = ledger.documents.count { ($0.seq ?? 0) > seq } }
        let found = try world.machine.inspect { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT trigger, count(*) FROM notifications WHERE trigger IS NOT NULL AND trigger <> 'director-release'
                    GROUP BY trigger
                    """)
        }
        let counted = Dictionary(uniqueKeysWithValues: found.map { ($0[0] as String, $0[1] as Int) })
        guard counted == expected.filter({ $0.value > 0 }) else {
            throw Broken("triggers have fired \(counted), not \(expected)")
        }
    }

    /// The triggers that were put once and exist, each with its position: later documents have fired it. A trigger that
    /// does not exist has never fired.
    private func trials() throws -> [(String, Int64)] {
        let names = Set(ledger.trials.map(\.name))
        let rows = try world.machine.inspect { try Row.fetchAll($0, sql: "SELECT name, seq FROM triggers") }
        return rows.map { ($0[0], $0[1]) }.filter { names.contains($0.0) }
    }

    /// Checks that the database is whole.
    static func checkWhole(_ machine: Machine) throws {
        try machine.inspect { database in
            guard try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok" else {
                throw Broken("the database is damaged")
            }
        }
    }

    /// Checks that the database is whole, and has every answered key and everything that is not old.
    static func checkDisk(of machine: Machine, against ledger: Ledger) throws {
        try machine.inspect { database in
            guard try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok" else {
                throw Broken("the database is damaged")
            }
            let keys = Set(try String.fetchAll(database, sql: "SELECT key FROM keys"))
            for write in ledger.writes
            where write.reply != nil && !keys.contains(write.key.text) && !ledger.isErased(write.user) {
                throw Broken("\(write.key) was acknowledged, and is lost in the crash")
            }
            let trimmed = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'retained_from'")
            if let write = ledger.youngWrite(upTo: trimmed.flatMap { Int64($0) } ?? 0) {
                throw Broken("the log is trimmed up to \(trimmed ?? ""), and \(write.key) is not old")
            }
        }
    }
}

extension Collection where Element == Replay {
    /// All messages of all chats.
    fileprivate var joined: [Replay.Message] { flatMap { $0.messages.values.joined() } }
}
