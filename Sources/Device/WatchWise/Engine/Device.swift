import Foundation
import JSON
import Session

/// One user's device: its store, its lists, its writes, and the engine as long as this process is the one that connects.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Device {
    let user: String
    let store: DeviceStore
    let states = Broadcast<ConnectionState>()
    let events = Broadcast<ServerEvent>()
    let storageEvents = Broadcast<StorageEvent>()

    private let parts: DeviceParts
    private(set) var name = ""
    private var lock: StoreLock?
    private(set) var engine: Engine?
    private let records = WriteRecords()
    let lists = OpenLists()
    private(set) lazy var missingMessages = MissingMessages(
        fetch: { [weak self] in _ = try await self?.fetchHistory(of: $0, before: $1, after: nil, limit: $2) },
        changed: { [lists] in lists.changed($0) })
    private(set) lazy var people = WatchedPeople(
        isLive: { [weak self] in self?.engine?.isLive ?? false },
        submit: { [weak self] command, then in
            if let engine = self?.engine { engine.submit(command, then: then) } else { then(.lost) }
        })
    private(set) lazy var typings = Typings(parts.clock) { [weak self] in
        self?.tell("typing", ["chat": .string($0), "on": .bool($1)])
    }
    private(set) lazy var pushes = PushRegistration(of: user, store, at: parts.location) {
        [unowned self] in try await request("device", $0, timeout: $1)
    }
    /// The entries of the store, where another process connects.
    private var storedEntries: [WriteEntry] = []
    private var isWanted = false
    private var isClosed = false
    private var isSignedOut = false
    private var refusals: [String: WatchWiseError] = [:]
    private var rounds: Rounds?
    private var observer: SystemObserver?
    /// Whether the system is about to suspend this process, or has: then others may connect with the store.
    private(set) var isSuspended = false
    private var isSaidInUse = false
    private var focused = Focus()

    init(_ parts: DeviceParts) throws {
        self.parts = parts
        user = parts.user
        store = try DeviceStore(parts.location)
        if let path = parts.location.path, store.isDurable { lock = StoreLock(path) }
        if let known = try store.read({ try $0.note("device")?.stringValue }) {
            name = known
        } else {
            name = parts.name ?? RandomName.make("swift-")
            try store.write { [name] in try $0.apply(.note("device", .string(name))) }
        }
        store.onEvent = { [storageEvents] event in storageEvents.send(event) }
        store.shown = { [lists] in StoreTrimming.Shown(chats: lists.chats, paths: lists.paths) }
        store.onTrimmed = { [weak self] paths in self?.engine?.fetching.forget(paths) }
        store.onChange = { [lists] changes in lists.changed(changes) }
        storedEntries = try store.read { try $0.entries() }
        try lead()
        begin()
        observer = SystemObserver(store: parts.location.path, isApplication: parts.connects) { [weak self] in
            self?.take($0)
        }
    }

    /// An application that forgets to close it loses nothing.
    deinit {
        let (engine, store, lock, observer) = (engine, store, lock, observer)
        Task { @WatchWiseActor in
            observer?.end()
            engine?.stop()
            store.close()
            lock?.release()
        }
    }

    // MARK: Leading

    /// Takes the right to connect, if nobody has it.
    private func lead(isForeign: Bool = false) throws {
        guard parts.connects, engine == nil, !isClosed, !isSignedOut, !isSuspended else { return }
        lock?.take()
        guard lock?.isHeld ?? true else {
            if !isSaidInUse { storageEvents.send(.inUse) }
            isSaidInUse = true
            return
        }
        let engine = Engine(
            EngineSettings(parts, device: name), store, owner: self, token: parts.token, transport: parts.transport)
        try engine.start(isForeign: isForeign)
        self.engine = engine
        noteWanted()
        // Its entries take the place of those of the store.
        engineChanged([.outbox])
        if isWanted { try engine.connect() }
    }

    /// Looks from time to time at what other processes have done.
    private func begin() {
        rounds = Rounds(every: parts.location.pause, parts.clock) { [weak self] in self?.look(hasSlept: $0) }
    }

    private func look(hasSlept: Bool = false) {
        if isClosed || isSignedOut || isSuspended { return }
        if hasSlept { engine?.connection.hint(.woke) }
        lookElsewhere()
        if engine == nil { try? lead() }
        if state == .live { store.trimNowAndThen() }
    }

    /// Takes news of the system.
    func take(_ event: SystemEvent) {
        switch event {
        case .active, .inactive: focus(event == .active)
        case .online, .offline: hint(event == .online ? .online : .offline)
        case .written: look()
        case .suspending: suspend()
        case .resumed: resume()
        }
    }

    /// Lets go of the store. Writes that wait are kept, and waits for them go on when the process does.
    private func suspend() {
        if isClosed || isSignedOut || isSuspended { return }
        isSuspended = true
        engine?.stop()
        engine = nil
        lock?.release()
        rounds?.end()
        readEntries()
        engineChanged(to: state)
    }

    private func resume() {
        guard isSuspended, !isClosed, !isSignedOut else { return }
        isSuspended = false
        look()
        begin()
        engineChanged(to: state)
    }

    private func lookElsewhere() {
        if isClosed || isSignedOut { return }
        // A store that lost its file knows it, too.
        if !store.isDurable, store.isSignedOut { return endSignedOut() }
        if store.isDurable, let changes = store.changesElsewhere() { readElsewhere(changes) }
    }

    /// Another process has written: its lists read what it says.
    private func readElsewhere(_ changes: Changes) {
        if store.isSignedOut { return endSignedOut() }
        if changes.has(.outbox) || changes.has(.everything) { readEntries() }
        engineChanged(changes)
    }

    private func readEntries() {
        guard let stored = try? store.read({ try $0.entries() }) else { return }
        storedEntries = stored
        if let engine {
            engine.outbox.feed { outbox, _ in for entry in stored { outbox.added(entry) } }
        } else {
            records.settle(by: stored)
        }
    }

    // MARK: For the words of the API

    /// A word about the store from before somebody listened.
    var saidAtOpen: StorageEvent? { store.saidAtOpen ?? (isSaidInUse && engine == nil ? .inUse : nil) }

    var state: ConnectionState {
        if isClosed { return .closed }
        return isSignedOut ? .signedOut(reason: WatchWiseError.signedOut.message) : engine?.state ?? .idle
    }

    /// - Throws: ``WatchWiseError`` when it is over.
    private func checkOpen() throws {
        lookElsewhere()
        if isClosed { throw WatchWiseError.closed }
        if isSignedOut { throw WatchWiseError.signedOut }
    }

    var entries: [WriteEntry] { engine?.entries ?? storedEntries }
    /// The server's time, as far as this device knows it.
    var serverTime: Date {
        guard let engine, engine.hello != nil else { return Date.now }
        return Date(timeIntervalSince1970: Double(engine.now + engine.offset) / 1000)
    }

    func connect() throws {
        try checkOpen()
        isWanted = true
        try engine?.connect()
    }

    func disconnect() {
        isWanted = false
        engine?.disconnect()
    }

    func hint(_ hint: SystemHint) {
        lookElsewhere()
        engine?.connection.hint(hint)
    }

    /// Takes a write: it is in the store when this returns.
    /// - Throws: ``WatchWiseError`` when it is longer than the server takes, too many wait, or the library is closed.
    func write(_ type: String, _ fields: JSONObject, base: WriteEntry.Version? = nil) throws -> WriteRecord {
        try checkOpen()
        let key = RandomName.make()
        var command = fields
        command["type"] = .string(type)
        command["key"] = .string(key)
        let record = WriteRecord(key)
        guard let engine else {
            try FollowingOutbox(of: user, storedEntries, store).check(command)
            records.add(record)
            let entry = WriteEntry(key, command, base: base, of: user)
            try store.write(isDurable: true) { try $0.apply(.keep(entry)) }
            readEntries()
            return record
        }
        records.add(record)
        engine.outbox.feed { outbox, now in outbox.write(key, command, base: base, at: now) }
        if let refusal = refusals.removeValue(forKey: key) {
            records.forget(key)
            throw refusal
        }
        return record
    }

    /// The server ends the connection at a message that is longer than it takes.
    private func checkSize(_ command: JSONObject) throws {
        let outbox = engine?.outbox.machine ?? Outbox(OutboxConfiguration(user: user), chance: Chance([]))
        if let refusal = outbox.refusal(of: command) { throw WatchWiseError(refusal) }
    }

    /// Cancels, retries or discards a write.
    /// - Returns: whether it was done.
    func control(_ key: String, _ change: (inout Outbox) -> Void) -> Bool {
        guard let engine, engine.outbox.entry(of: key) != nil else { return false }
        engine.outbox.feed { outbox, _ in change(&outbox) }
        return refusals.removeValue(forKey: key) == nil
    }

    /// The longest wait for an answer.
    static let answerWithin = Duration.seconds(30)

    /// Sends a command and waits for its answer.
    /// - Throws: ``WatchWiseError``; `timeout` after 30 seconds. Then it is not sent later. `CancellationError` when the task ends.
    func request(
        _ type: String, _ fields: JSONObject, timeout: Duration = answerWithin
    ) async throws -> JSONValue {
        try checkOpen()
        try checkSize(fields.with(["type": .string(type)]))
        return try await fetching().request(ClientCommand(type: type, fields), timeout: timeout)
    }

    private func fetching() throws -> Fetching {
        if let engine { return engine.fetching }
        throw WatchWiseError(.retry, "not-connected", "another process connects with this store")
    }

    /// A command of the moment: nobody waits for it.
    func tell(_ type: String, _ fields: JSONObject) {
        guard let engine, engine.isLive else { return }
        engine.submit(ClientCommand(type: type, fields, persistence: .once)) { _ in }
    }

    /// A page of a chat from the server.
    func fetchHistory(of chat: String, before: Int64?, after: Int64?, limit: Int64) async throws -> JSONValue {
        try await fetching().history(
            of: chat, before: before, after: after, limit: limit, timeout: Self.answerWithin)
    }

    /// Whether a watched path is complete, or why it cannot be watched.
    func watchState(_ path: String) -> (isComplete: Bool, error: WatchWiseError?) {
        engine?.fetching.state(of: path) ?? (false, nil)
    }

    /// Says whether a person looks at the application, so that other devices are silent meanwhile.
    func focus(_ isOn: Bool) {
        focused.isOn = isOn
        hint(isOn ? .visible : .hidden)
        tellFocus()
    }

    private func tellFocus() {
        if let fields = focused.news(isLive: state == .live, chat: lists.chat) { tell("focus", fields) }
    }

    // MARK: Lists

    /// Opens a list for one reader.
    func open(_ window: ListWindow) -> ListToken {
        let list = LiveList(window.source(of: self), of: self)
        guard !isClosed else {
            list.close()
            return ListToken(list) {}
        }
        let token = lists.add(list, of: window) { [weak self] in self?.noteWanted() }
        noteWanted()
        return token
    }

    private func noteWanted() {
        engine?.fetching.want(lists.paths)
        tellFocus()
    }

    // MARK: The end

    /// Another process has signed the user out: nothing that they have here is shown, connected or sent any more.
    private func endSignedOut() {
        isSignedOut = true
        engine?.stop()
        engine = nil
        lock?.release()
        rounds?.end()
        observer?.end()
        store.forget()
        storedEntries = []
        records.closeAll(.signedOut)
        people.close()
        states.send(state)
        engineChanged([.everything])
    }

    /// Ends it for good. Writes that wait go out when the store is opened again.
    func close(isDeleted: Bool = false) {
        guard !isClosed else { return }
        engine?.stop()
        isClosed = true
        engine = nil
        rounds?.end()
        observer?.end()
        lists.close()
        people.close()
        records.closeAll()
        // Files that another process has deleted may be somebody else's by now.
        if isDeleted, !isSignedOut { store.signOut() } else { store.close() }
        lock?.release()
        states.send(.closed)
        for end in [states.finish, events.finish, storageEvents.finish] { end() }
    }
}

extension Device: EngineOwner, ListOwner {
    func engineChanged(to state: ConnectionState) {
        states.send(state)
        engineChanged([.state])
        tellFocus()
        people.connectionChanged()
        if state == .live { pushes.wentLive() }
    }

    func engineReceived(_ event: JSONValue) {
        if event["type"]?.stringValue == "presence", let person = event["user"]?.stringValue {
            people.took(person, isOnline: event["online"]?.boolValue ?? false)
        }
        events.send(ServerEvent(event))
    }

    func engineChanged(_ changes: Changes) { lists.changed(changes) }

    func engineKept(_ key: String, isDurable: Bool) { records.kept(key, isDurable: isDurable) }

    func engineDid(_ key: String, _ result: Result<JSONValue, WatchWiseError>) { records.settle(key, result) }

    func engineRefused(_ key: String, _ error: WatchWiseError) { refusals[key] = error }

    func engineMoved(_ key: String, to other: String) { records.move(key, to: other) }

    func engineAsks(_ conflict: Conflict) {
        guard let decide = parts.conflicts else { return }
        Task {
            let choice = await decide(conflict)
            engine?.outbox.feed { outbox, _ in outbox.resolve(conflict.key, choice.choice) }
        }
    }

    func engineFailed(_ error: any Error) { storageEvents.send(.failing(reason: "\(error)")) }

    /// Another device has a copy of this store: this one takes another name, and what it sent may be the other's.
    func engineIsCopied() {
        engine?.stop()
        engine = nil
        name = RandomName.make("swift-")
        storageEvents.send(.copied)
        do {
            try store.write { [name] in try $0.apply(.note("device", .string(name))) }
            try lead(isForeign: true)
        } catch {
            engineFailed(error)
        }
    }
}
