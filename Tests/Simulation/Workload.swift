import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// The actions of people and the faults, as the seed decides.
/// - Confinement: the one thread
struct Workload {
    let world: World
    /// Long texts in bursts, so that queues fill.
    private let isHeavy = Dice.once(in: 16)
    /// Short texts in bursts, so that devices miss more than a page.
    private let isCrowded = Dice.once(in: 8)
    /// Topics with many notifications and removals.
    private let isTopical = Dice.once(in: 3)
    /// Triggers that are put: on a server that is alone, while the disk fails.
    private let hasTrials: Bool
    private let actions = 20 + Dice.below(60)
    /// How often a fault occurs: once in this many actions.
    private let faultOdds = [4, 8, 16, 1 << 30][Dice.below(4)]

    init(_ world: World) {
        self.world = world
        hasTrials = Dice.once(in: world.isCluster ? 2 : 6)
    }

    /// Runs the whole workload, and lets everything settle.
    func run() throws {
        sim_set_delay([0, 5, 50, 400][Dice.below(4)])
        if Dice.once(in: 2) { world.machine.interrupt(onceIn: [8, 64, 512][Dice.below(3)]) }
        for user in world.people { try world.addDevice(of: user, isComplete: true) }
        if world.isCluster, Dice.once(in: 3), let user = Dice.pick(World.people) {
            for machine in world.machines { try world.addDevice(of: user, isComplete: true, at: machine.port) }
        }
        try prefer()
        world.failsWhileWaiting = faultOdds < 1 << 30
        for user in world.people { follow(user, isOn: true, world.people.filter { $0 != user }.map(Topic.init(user:))) }
        if isTopical { for user in world.people { follow(user, isOn: true, World.topics) } }
        for _ in 0..<actions {
            try act()
            if Dice.once(in: faultOdds) { try fail() }
            for _ in 0..<Dice.below(40) {
                try world.step()
                if let broken = world.ledger.broken { throw broken }
            }
        }
        if !world.isCluster, world.retentionMilliseconds != nil, Dice.once(in: 2) { try runWithOtherClock() }
        if Dice.once(in: 4) { try runAfterDigest() }
        if isCrowded { for device in World.people.compactMap(firstDevice) { try comeBack(device) } }
        try world.calmDown()
        if world.kind?.losesEntries == true { try LostEntries(world: world).run { try act() } }
    }

    /// Some people have other zones, and one wants releases in a digest.
    private func prefer() throws {
        for (user, wanted) in World.preferences {
            var isDone = false
            firstDevice(of: user)?.ask(ClientCommand(PreferencesCommand.self, ["set": .object(wanted)])) { _ in
                isDone = true
            }
            try world.run(until: sim_now() + 300_000) { isDone }
        }
    }

    /// Further notifications arrive shortly after a digest.
    private func runAfterDigest() throws {
        for _ in 0..<3 {
            for _ in 0..<3 { document() }
            try world.settle(milliseconds: World.digestSeconds * 500 + Int64(Dice.below(8000)))
        }
    }

    private func firstDevice(of user: UserID) -> Device? { active.first { $0.user == user } }

    private var active: [Device] { world.devices.filter { !$0.isStopped } }

    /// One action of a person.
    func act() throws {
        guard let device = Dice.pick(active) else { return }
        switch Dice.below(20) {
        case 0..<7: send(from: device)
        case 7..<9: recommend(from: device)
        case 9..<11: follow(device.user, isOn: Dice.once(in: 2), Dice.pick(World.topics).map { [$0] } ?? [])
        case 11:
            let others = world.people.filter { $0 != device.user }
            follow(device.user, isOn: Dice.once(in: 3), Dice.pick(others).map { [Topic(user: $0)] } ?? [])
        case 12..<14: read(device)
        case 14: seen(device)
        case 15: repeatWrite(device)
        case 16: document()
        case 17: isTopical ? notices() : document()
        case 18: try isCrowded ? comeBack(device) : comeOrGo(device)
        default: device.drop()
        }
        if world.isCluster, Dice.once(in: 5) { noticeWithoutKey() }
        if isTopical, Dice.once(in: 3) { notices() }
        if hasTrials, Dice.once(in: world.isCluster ? 6 : 12) { try tryTrigger() }
        try actSocially(device)
    }

    private func send(from device: Device) {
        send(from: device, count: 1 + Dice.below(isCrowded ? 80 : isHeavy ? 40 : 3))
    }

    private func send(from device: Device, count: Int) {
        guard let other = Dice.pick(world.people.filter { $0 != device.user }) else { return }
        for _ in 0..<count {
            guard let key = world.ledger.makeKey() else { return }
            let text = isHeavy ? String(repeating: Self.text(key), count: 1 + Dice.below(400)) : Self.text(key)
            submit(.send(text, to: other, key: key), key, from: device)
        }
    }

    /// A broadcast without a key is the one write that nothing but its own place in the journal keeps from being done
    /// twice.
    private func noticeWithoutKey() {
        guard let key = world.ledger.makeKey() else { return }
        let notice = Ledger.Notice("without a key " + key.text, to: "everyone")
        world.ledger.notices.append(notice)
        world.feed.add(.notice(notice, key: nil))
    }

    private func recommend(from device: Device) {
        guard let other = Dice.pick(world.people.filter { $0 != device.user }), let key = world.ledger.makeKey(),
            let product = Product(id: "movie/" + key.text, title: "Film " + key.text)
        else { return }
        submit(.recommend(product, to: other, note: Self.text(key), key: key), key, from: device)
    }

    private func follow(_ user: UserID, isOn: Bool, _ topics: [Topic]) {
        guard let device = active.first(where: { $0.user == user }) else { return }
        for topic in topics {
            guard let key = world.ledger.makeKey() else { return }
            submit(isOn ? .follow(topic, key: key) : .unfollow(topic, key: key), key, from: device)
        }
    }

    func submit(_ command: ClientCommand, _ key: WriteKey, from device: Device) {
        let write = world.ledger.begin(command, by: device.user, key)
        write.isPosted = Dice.once(in: 12)
        if write.isPosted { world.feed.add(.command(write)) } else { device.submit(write) }
    }

    private func read(_ device: Device) {
        guard let (name, n) = Dice.pick(device.chats), let chat = ChatID(name) else { return }
        device.ask(.read(chat, upTo: n - Int64(Dice.below(Int(min(n, 3)))))) { _ in }
    }

    private func seen(_ device: Device) {
        guard let last = device.events.last(where: { $0.name == .notification }) else { return }
        device.ask(ClientCommand(SeenCommand.self, ["upTo": .integer(last.seq)])) { _ in }
    }

    /// Repeats a write that is already done, or refused for good, from any device of the user.
    private func repeatWrite(_ device: Device) {
        let own = world.ledger.writes.filter { $0.user == device.user && ($0.reply != nil || $0.refusal != nil) }
        if let write = Dice.pick(own) { device.submit(write) }
    }

    func document() {
        guard let key = world.ledger.makeKey() else { return }
        let person = "p\(1 + Dice.below(2))"
        if Dice.once(in: 4) {
            let name = Ledger.Name(of: person, "Name " + key.text)
            world.ledger.names.append(name)
            return world.feed.add(.name(name, key: key))
        }
        if Dice.once(in: 5), let told = Dice.pick(world.ledger.documents.filter { !$0.isDeleted }) {
            told.isDeleted = true
            return world.feed.add(.deletion(told, key: key))
        }
        let document = Ledger.Document(person: person, product: "x" + key.text, when: releaseTime())
        world.ledger.documents.append(document)
        world.feed.add(.document(document, key: key))
    }

    /// Mostly long ago; otherwise within half a minute, as a local time of one of the zones.
    private func releaseTime() -> String {
        guard Dice.once(in: 3), let zone = Dice.pick(World.zones) else { return Ledger.Document.longAgo }
        return zone.wall(at: sim_wall() + Int64(Dice.below(30_000)))
    }

    /// Sends a notification to topics or to everyone, replaces one, or takes one back.
    private func notices() {
        for _ in 0..<1 + Dice.below(4) {
            if Dice.once(in: 4), let notice = Dice.pick(world.ledger.notices.filter { $0.id != nil }) {
                notice.isWithdrawn = true
                world.feed.add(.withdrawal(notice))
            } else if let key = world.ledger.makeKey() {
                let audience = Dice.once(in: 4) ? "everyone" : Dice.pick(World.topics)?.text ?? "everyone"
                let notice = Ledger.Notice(key.text, to: audience, collapse: Dice.once(in: 2) ? "c" : nil)
                world.ledger.notices.append(notice)
                world.feed.add(.notice(notice, key: key))
            }
        }
    }

    /// Connects a device that has missed everything and writes before it has caught up.
    private func comeBack(_ device: Device) throws {
        for old in active.filter({ $0.user == device.user }).dropFirst(2) { old.stop() }
        let back = try world.addDevice(of: device.user, isComplete: true)
        for _ in 0...Dice.below(4) { send(from: back, count: 1) }
    }

    private func comeOrGo(_ device: Device) throws {
        let others = active.filter { $0.user == device.user }
        if others.count > 1, Dice.once(in: 2) { return device.stop() }
        guard others.count < 3 else { return }
        let isComplete = Dice.once(in: 2)
        let newcomer = try world.addDevice(of: device.user, isComplete: isComplete)
        if !isComplete, Dice.once(in: 2) { try breakOff(newcomer) }
    }

    /// Breaks the connection of a new device after its greeting, usually before it is live.
    private func breakOff(_ newcomer: Device) throws {
        for _ in 0..<300 where newcomer.counts == nil { try world.step() }
        if !newcomer.isLive { newcomer.drop() }
    }
}
