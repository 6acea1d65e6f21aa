package import JSON
import Model

/// The writes that a device has no answer to: in order within a lane, each done once, without I/O, clock or chance of its own.
/// `Tests/SessionVectors` holds its runs and its rules, which the machine of the JavaScript library plays, too.
///
/// Inputs are methods; ``takeActions()`` gives the actions, and is called after each input.
/// - Confinement: any
package struct Outbox: Sendable {
    /// How an outbox behaves.
    /// - Confinement: any
    package struct Configuration: Sendable {
        package let user: String
        /// Whether the application decides about conflicts.
        package var asksAboutConflicts = false
        /// The most lanes that have a write under way.
        package var lanesMax = 16
        package var entriesMax = 1000
        /// Of the commands as JSON.
        package var bytesMax = 8 << 20
        /// Waits after refusals for now.
        package var backoff = Backoff()

        package init(user: String) { self.user = user }
    }

    /// Where this process is with an entry.
    enum Phase: Sendable, Equatable { case idle, preparing, flying, deciding }

    /// An entry and its way in this process.
    struct Item: Sendable {
        var entry: WriteEntry
        var bytes: Int
        var phase = Phase.idle
        /// Its own event has come, while the reply has not.
        var ok: JSONValue?
        var isKept = false
        var isReported = false
        /// Answers of the store that are still to come.
        var keeping = 0
        var until: Int64?
        var backoff: Backoff
        /// How many connections in a row have ended with it under way.
        var ends = 0
        /// Whether it may be the one that ends connections: then it goes alone.
        var isSuspect = false
        /// Whether the connection that ends now had it under way.
        var isCut = false
    }

    /// After a reset, how old a sent write may be for the server to know its key for certain: it keeps keys for 7 days.
    private static let keyAgeMaxMilliseconds: Int64 = 6 * 86_400_000
    static let cancelled: JSONValue = [
        "code": "cancelled", "class": "cancelled", "message": "the write was cancelled",
    ]

    let configuration: Configuration
    var chance: Chance
    /// In the order of the calls.
    var items: [Item] = []
    /// Writes that the application ended, until the store has them no longer.
    var leaving: [String: JSONValue] = [:]
    var actions: [OutboxAction] = []
    var isLive = false
    private var isReset = false
    /// The server's time less ours.
    var offset: Int64 = 0
    var preferences: JSONValue?
    var bytes = 0
    /// The longest message that the server takes.
    var messageBytesMax = Int64(Limits.messageBytesMax)

    package init(_ configuration: Configuration, chance: Chance) {
        self.configuration = configuration
        self.chance = chance
    }

    /// The entries, in order, as they are stored; those whose own event has come are not among them.
    package var entries: [WriteEntry] { items.filter { $0.ok == nil }.map(\.entry) }

    /// The entry with this key, unless its own event has come.
    package func entry(of key: String) -> WriteEntry? {
        items.first { $0.entry.key == key && $0.ok == nil }?.entry
    }

    /// When ``tick(at:)`` must be called at the latest; nil when nothing is due.
    package var nextDeadline: Int64? { isLive ? items.compactMap(\.until).min() : nil }

    /// Sends what may go, and returns the actions to perform, in order.
    package mutating func takeActions(at now: Int64) -> [OutboxAction] {
        pump(at: now)
        defer { actions = [] }
        return actions
    }

    // MARK: The application

    /// Takes a new write.
    /// - Parameter base: The document as the application sees it; nil when that is not known.
    package mutating func write(_ key: String, _ command: JSONObject, base: WriteEntry.Version? = nil, at now: Int64) {
        var entry = WriteEntry(key, command, base: base, of: configuration.user)
        let size = JSONValue.object(command).bytes.count
        if isTooLarge(size) { return actions.append(.refused(key: key, error: tooLarge(size))) }
        if merge(entry) { return }
        guard items.count < configuration.entriesMax, bytes + size <= configuration.bytesMax else {
            return refuse(key, "outbox-full", "storage", "too many writes wait for the server")
        }
        let lane = entry.lane
        if items.contains(where: { $0.entry.lane == lane && $0.entry.isHolding }) { entry.state = .blocked }
        let isFirst = items.allSatisfy { $0.entry.lane != lane || $0.entry.isAside }
        let place = add(entry, size)
        // A write that can leave at once is stored as sent, so that it is stored once.
        if isLive, isFirst, !isProbing, underWay < configuration.lanesMax { prepare(place, at: now) }
        keep(place)
    }

    /// Sends a write once more that failed or is uncertain: under a new key, at its old place.
    package mutating func retry(_ key: String) {
        guard let place = place(of: key), [.failed, .uncertain].contains(items[place].entry.state) else { return }
        renew(place)
        keep(place)
        unblock(items[place].entry.lane)
    }

    /// Takes a write away that is not under way.
    package mutating func discard(_ key: String) {
        guard let place = place(of: key), items[place].phase == .idle, items[place].ok == nil else {
            return refuse(key, "already-sent", "permanent", "the write is under way")
        }
        drop(place, Self.cancelled)
    }

    /// Takes a write back that has not left.
    package mutating func cancel(_ key: String) {
        guard let place = place(of: key), [.queued, .blocked].contains(items[place].entry.state) else {
            return refuse(key, "already-sent", "permanent", "the write is under way, or done")
        }
        drop(place, Self.cancelled)
    }

    /// The decision of the application about a conflict.
    /// - Confinement: any
    package enum Choice: Sendable, Equatable {
        case mine, theirs
        case data(JSONValue)
    }

    /// Takes the answer to ``OutboxAction/conflict(key:mine:base:current:)``.
    package mutating func resolve(_ key: String, _ choice: Choice) {
        guard let place = place(of: key), items[place].phase == .deciding else { return }
        items[place].phase = .idle
        var error = items[place].entry.error ?? [:]
        let current = Self.version(of: error["current"])
        switch choice {
        case .theirs:
            error["class"] = "cancelled"
            return drop(place, error)
        case .data(let data):
            let path = items[place].entry.command["path"] ?? .null
            items[place].entry.command = ["type": "put", "path": path, "data": data]
        case .mine: break
        }
        rebase(place, on: current)
    }

    // MARK: The store

    /// Takes the entries of the store at the start.
    /// - Parameter isForeign: Whether the store is a copy of one that another device uses, too.
    package mutating func restore(_ entries: [WriteEntry], isForeign: Bool = false) {
        for entry in entries {
            let place = addStored(entry)
            if isForeign, entry.state == .sent { change(place, to: .uncertain) }
        }
    }

    /// Takes an entry that another process has stored; or one of this process, which was read before the store took it away
    /// or renamed it.
    package mutating func added(_ entry: WriteEntry) {
        guard place(of: entry.key) == nil, leaving[entry.key] == nil else { return }
        guard entry.order == nil || !items.contains(where: { $0.entry.order == entry.order }) else { return }
        let place = addStored(entry)
        if isHeld(place) { change(place, to: .blocked) }
    }

    /// The store has an entry, as it was in the last `keep`.
    package mutating func kept(_ key: String, order: Int64, isDurable: Bool = true) {
        guard var place = place(of: key) else { return }
        if items[place].entry.order != order {
            var item = items.remove(at: place)
            item.entry.order = order
            place = insert(item)
        }
        items[place].keeping -= 1
        guard items[place].keeping <= 0 else { return }
        items[place].isKept = true
        if !items[place].isReported { actions.append(.kept(key: key, isDurable: isDurable)) }
        items[place].isReported = true
        if items[place].phase == .preparing { fly(place) }
    }

    /// The store has an entry no longer.
    package mutating func removed(_ key: String) {
        if let error = leaving.removeValue(forKey: key) { return actions.append(.ended(key: key, error: error)) }
        if let place = place(of: key), items[place].ok == nil { forget(place) }
    }

    // MARK: The session

    /// The session is live.
    /// - Parameter time: The server's time in milliseconds.
    package mutating func live(time: Int64, at now: Int64) {
        isLive = true
        offset = time - now
        guard isReset else { return }
        isReset = false
        for place in items.indices {
            let entry = items[place].entry
            guard entry.state == .sent, (entry.firstSent ?? 0) <= time - Self.keyAgeMaxMilliseconds,
                !WriteKind.isRepeatable(entry.command)
            else { continue }
            change(place, to: .uncertain)
        }
    }

    /// The session is live no longer.
    /// - Parameter end: How its connection has ended; nil when nothing follows from that.
    package mutating func offline(_ end: TransportEnd? = nil) {
        isLive = false
        // One that turns out to be done leaves its place to the next one.
        var place = 0
        while place < items.count { if !land(place) { place += 1 } }
        suspect(after: end)
    }

    /// The server has said its bounds.
    package mutating func limits(messageBytes: Int64) { if messageBytes > 0 { messageBytesMax = messageBytes } }

    /// The server could not send the missed events, or the cursor was lost: own events prove nothing for what is older.
    package mutating func reset() { isReset = true }

    /// The preferences as they were fetched.
    package mutating func fetched(preferences: JSONValue) { self.preferences = preferences }

    /// Takes a durable event of this user.
    package mutating func receive(_ event: JSONValue) {
        if event["type"] == "preferences" { preferences = event["preferences"] }
        guard let key = event["key"]?.stringValue, let place = place(of: key), items[place].ok == nil,
            let ok = WriteKind.ok(of: items[place].entry.command, from: event, configuration.user)
        else { return }
        guard items[place].phase == .flying else { return succeed(place, ok) }
        // On the connection on which it was sent the reply follows, and says more.
        items[place].ok = ok
        actions.append(.remove(key: key))
    }

    /// Takes the end of a `send`.
    package mutating func reply(_ key: String, _ reply: Result<JSONValue, WriteRefusal>, at now: Int64) {
        guard let place = place(of: key), items[place].phase == .flying else { return }
        items[place].phase = .idle
        switch reply {
        case .success(let ok): succeed(place, ok)
        case .failure(let refusal):
            if let ok = items[place].ok { return succeed(place, ok) }
            clear(place)
            if refusal.kind == "permanent" { return judge(place, refusal.error) }
            let wait = (refusal.error["retryAfterMs"]?.integerValue ?? 0) + items[place].backoff.next(using: &chance)
            items[place].until = now + wait
        }
    }

    /// The connection of a `send` broke before its reply.
    package mutating func lost(_ key: String) {
        guard let place = place(of: key), items[place].phase == .flying else { return }
        isLive = false
        land(place)
    }
}

/// An error as the contract writes it.
/// - Confinement: any
package struct WriteRefusal: Error, Sendable, Equatable {
    package let error: JSONValue
    /// Its class.
    var kind: String { error["class"]?.stringValue ?? "" }

    package init(_ error: JSONValue) { self.error = error }
}
