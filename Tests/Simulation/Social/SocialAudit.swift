import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// Checks the writes that change rooms, messages and blocks, and that nobody wrote to somebody with whom a block stood.
/// - Confinement: the one thread
struct SocialAudit {
    /// A block, from its position on until another one.
    private struct Block {
        let user: String
        let other: String
        let from: Int64
        var until = Int64.max

        func stands(at seq: Int64) -> Bool { from < seq && seq < until }
        func isOf(_ one: String, _ another: String) -> Bool {
            user == one && other == another || user == another && other == one
        }
    }

    let world: World
    /// The events of each user, as the log has them now.
    private let logs: [UserID: [Device.Event]]
    private var blocks: [Block] = []

    private var ledger: Ledger { world.ledger }

    init(_ world: World, _ logs: [UserID: [Device.Event]]) {
        self.world = world
        self.logs = logs
    }

    /// - Throws: ``Broken``
    mutating func run() throws {
        try checkWrites()
        try collectBlocks()
        for (user, events) in logs { for event in events { try check(event, of: user.text) } }
    }

    /// Whether one of two people blocks the other now.
    func isBlocked(_ one: UserID, _ other: UserID) -> Bool {
        blocks.contains { $0.isOf(one.text, other.text) && $0.until == .max }
    }

    // MARK: Writes

    private func checkWrites() throws {
        var byKey: [String: [Int64: Device.Event]] = [:]
        for event in logs.values.joined() {
            if let key = event.body["key"]?.stringValue { byKey[key, default: [:]][event.seq] = event }
        }
        for write in ledger.writes where SocialKind.counted.contains(write.command.name) {
            guard !ledger.isErased(write.user) else { continue }
            try check(write, byKey[write.key.text]?.values.sorted { $0.seq < $1.seq } ?? [])
        }
    }

    private func check(_ write: Ledger.Write, _ found: [Device.Event]) throws {
        let name = write.command.name
        let isCreation = name == RoomCreateCommand.name
        guard found.count <= (isCreation ? 2 : 1) else {
            throw Broken("\(write.key), \(name), was done \(found.count) times: \(found.map(\.body.text))")
        }
        if let refusal = write.refusal, !found.isEmpty {
            throw Broken("\(write.key), \(name), was refused, and done: \(refusal.message)")
        }
        guard let reply = write.reply else { return }
        if let event = found.last, reply["seq"]?.integerValue != event.seq {
            throw Broken("\(write.key) was acknowledged as \(reply.text), and is \(event.body.text)")
        }
        guard found.isEmpty, isCreation || name == RoomLeaveCommand.name else { return }
        throw Broken("\(write.key), \(name), was acknowledged, and is lost")
    }

    // MARK: Blocks

    private mutating func collectBlocks() throws {
        for (user, events) in logs {
            var standing: [String: Block] = [:]
            for event in events where event.name == .blocked || event.name == .unblocked {
                let other = event.body["user"]?.stringValue ?? ""
                let key = event.body["key"]?.stringValue
                guard ledger.writes.contains(where: { $0.user == user && $0.key.text == key }) else {
                    throw Broken("\(user) hears of the block of others: \(event.body.text)")
                }
                if event.name == .blocked {
                    standing[other] = Block(user: user.text, other: other, from: event.seq)
                } else if var block = standing.removeValue(forKey: other) {
                    block.until = event.seq
                    blocks.append(block)
                }
            }
            blocks += standing.values
        }
    }

    /// Checks that an event could happen in spite of the blocks.
    private func check(_ event: Device.Event, of user: String) throws {
        switch event.name {
        case .message, .messageEdited, .reaction:
            guard let chat = event.chat.flatMap({ ChatID($0) }), case .pair(let one, let other) = chat,
                event.body["on"] != false, logs[one] != nil, logs[other] != nil
            else { return }
            if let block = blocks.first(where: { $0.isOf(one.text, other.text) && $0.stands(at: event.seq) }) {
                throw Broken("\(block.user) blocks \(block.other) since \(block.from), and then: \(event.body.text)")
            }
        case .roomInvited:
            guard let other = event.body["by"]?.stringValue,
                let block = blocks.first(where: { $0.isOf(user, other) && $0.stands(at: event.seq) })
            else { return }
            throw Broken("\(block.user) blocks \(block.other) since \(block.from), and then: \(event.body.text)")
        case .followed:
            guard let other = event.body["topic"]?.stringValue.flatMap({ Topic($0) })?.user else { return }
            if blocks.contains(where: { $0.user == other.text && $0.other == user && $0.stands(at: event.seq) }) {
                throw Broken("\(user) is blocked by \(other), and follows: \(event.body.text)")
            }
        default: break
        }
    }

    /// Checks that the server has the blocks that stand: nobody writes to, or follows, somebody who blocks them.
    ///
    /// - Throws: ``Broken``
    func checkStanding(_ replay: Replay, _ auditor: Device) throws {
        for other in logs.keys where other != auditor.user {
            let isBlocked = isBlocked(auditor.user, other)
            if blocks.contains(where: { $0.user == other.text && $0.other == replay.user && $0.until == .max }),
                replay.follows[Topic(user: other).text] != nil
            {
                throw Broken("\(replay.user) still follows \(other), who blocks them")
            }
            guard let chat = ChatID(between: auditor.user, and: other), replay.messages[chat.text] != nil else {
                continue
            }
            var (answer, isLimited): (ClientReply?, Bool) = (nil, false)
            repeat {
                answer = nil
                auditor.ask(ClientCommand(TypingCommand.self, ["chat": .string(chat.text), "on": true])) { answer = $0 }
                try world.run(until: sim_now() + 60_000) { answer != nil }
                // The auditor may have asked for too much before.
                isLimited = if case .refused(let refusal) = answer { refusal.code.errorClass == .limit } else { false }
                if isLimited { try world.settle(milliseconds: 1000) }
            } while isLimited
            let isRefused = if case .refused(let refusal) = answer { refusal.code == .blocked } else { false }
            let isOver = if case .refused(let refusal) = answer { refusal.code.errorClass == .retry } else { false }
            guard isOver || answer == .lost || isRefused == isBlocked else {
                throw Broken(
                    "\(replay.user) types to \(other), blocked: \(isBlocked), and is answered \(answer as Any)")
            }
        }
    }
}
