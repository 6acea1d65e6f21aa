import ClientProtocol
import JSON
import Session

/// The outbox of a device with the device's store: what it asks for is stored before it is done.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class StoredOutbox {
    private(set) var machine: Outbox
    private let store: DeviceStore
    private let clock: ClientClock
    private let timer: Deadline
    private weak var owner: (any EngineOwner)?
    private var isStopped = false
    /// Submits a command; the handler gets its reply.
    var submit: (ClientCommand, @escaping (ClientReply) -> Void) -> Void = { _, _ in }
    /// Called with the answer to a write of a document, as an event would show it. No event tells this device of a document
    /// that it does not watch.
    var wrote: (WriteEntry, JSONValue) -> Void = { _, _ in }

    init(_ settings: EngineSettings, _ store: DeviceStore, owner: any EngineOwner) {
        var configuration = OutboxConfiguration(user: settings.user)
        configuration.asksAboutConflicts = settings.asksAboutConflicts
        machine = Outbox(configuration, chance: Chance(seed: settings.seed))
        self.store = store
        self.owner = owner
        clock = settings.clock
        timer = Deadline(settings.clock)
        timer.fire = { [weak self] in self?.feed { _, _ in } }
    }

    /// The entries that are not done, in order.
    var entries: [WriteEntry] { machine.entries }

    func entry(of key: String) -> WriteEntry? { machine.entry(of: key) }

    /// Ends it for good.
    func stop() {
        isStopped = true
        timer.set(nil)
    }

    /// Gives something to the outbox, stores what it asks for, and performs the rest.
    func feed(_ change: (inout Outbox, Int64) -> Void) {
        var changes: [StoreChange] = []
        feed(into: &changes, change)
        storeEntries(changes)
    }

    /// As ``feed(_:)``, but what has to be stored goes with something else. New entries are stored at once.
    func feed(into changes: inout [StoreChange], _ change: (inout Outbox, Int64) -> Void) {
        let now = clock.ticks()
        change(&machine, now)
        changes += perform(machine.takeActions(at: now))
        timer.set(isStopped ? nil : machine.nextDeadline)
    }

    /// - Returns: the changes that the store still has to make.
    private func perform(_ actions: [OutboxAction]) -> [StoreChange] {
        if actions.isEmpty { return [] }
        var changes: [StoreChange] = []
        var kept: [String] = []
        for action in actions {
            switch action {
            case .keep(let entry):
                changes.append(.keep(entry))
                kept.append(entry.key)
            case .save(let entry): changes.append(.keep(entry))
            case .remove(let key): changes.append(.remove(key: key))
            default: break
            }
        }
        if !kept.isEmpty {
            storeEntries(changes, kept: kept)
            changes = []
        }
        for action in actions { act(action) }
        owner?.engineChanged([.outbox])
        return changes
    }

    /// One transaction. A new entry survives a loss of power.
    /// - Parameter kept: The keys for which the outbox waits.
    private func storeEntries(_ changes: [StoreChange], kept: [String] = []) {
        if changes.isEmpty { return }
        let isNew = changes.contains { if case .keep(let entry) = $0 { entry.order == nil } else { false } }
        let orders: [String: Int64]
        do {
            orders = try store.write(isDurable: isNew) { writer in
                for change in changes { try writer.apply(change) }
                return writer.orders
            }
        } catch {
            owner?.engineFailed(error)
            return
        }
        let isDurable = store.isDurable
        removed(changes)
        feed { outbox, _ in
            for key in kept {
                if let order = orders[key] { outbox.kept(key, order: order, isDurable: isDurable) }
            }
        }
    }

    /// The store has made these changes: what they remove is there no longer.
    func removed(_ changes: [StoreChange]) {
        let keys = changes.compactMap { if case .remove(let key) = $0 { key } else { nil } }
        if !keys.isEmpty { feed { outbox, _ in for key in keys { outbox.removed(key) } } }
    }

    private func act(_ action: OutboxAction) {
        switch action {
        case .keep, .save, .remove: break
        case .kept(let key, let isDurable): owner?.engineKept(key, isDurable: isDurable)
        case .send(let key, let command): send(key, command)
        case .done(let key, let ok): owner?.engineDid(key, .success(ok))
        case .ended(let key, let error): owner?.engineDid(key, .failure(WatchWiseError(error)))
        case .refused(let key, let error): owner?.engineRefused(key, WatchWiseError(error))
        case .merged(let key, let other), .renamed(let key, let other): owner?.engineMoved(key, to: other)
        case .conflict(let key, let mine, let base, let current):
            owner?.engineAsks(Conflict(key: key, mine: mine, base: base, current: current))
        }
    }

    private func send(_ key: String, _ message: JSONObject) {
        guard let type = message.string("type") else { return }
        var fields = message
        fields["type"] = nil
        submit(ClientCommand(type: type, fields, persistence: .once)) { [weak self] reply in
            guard let self else { return }
            switch reply {
            case .ok(let ok):
                documentWritten(key, type, message, ok)
                feed { outbox, now in outbox.reply(key, .success(ok), at: now) }
            case .refused(let refusal):
                feed { outbox, now in outbox.reply(key, .failure(WriteRefusal(refusal.json)), at: now) }
            case .lost: feed { outbox, _ in outbox.lost(key) }
            }
        }
    }

    private func documentWritten(_ key: String, _ type: String, _ command: JSONObject, _ ok: JSONValue) {
        guard let entry = entry(of: key), entry.isDocument,
            // A patch that changed nothing is answered without the document, which need not be here.
            type != "patch" || ok["data"] != nil
        else { return }
        let data = ok["data"] ?? (type == "put" ? command["data"] : nil) ?? .null
        wrote(
            entry,
            [
                "type": "document", "path": command["path"] ?? .null, "version": ok["version"] ?? 0,
                "seq": ok["seq"] ?? 0, "data": data,
            ])
    }
}
