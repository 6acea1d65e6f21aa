package import JSON

/// The writes that a device has no answer to: in order within a lane, each done once, without I/O, clock or chance of its own.
/// `Tests/SessionVectors` holds its runs and its rules, which the machine of the JavaScript library plays, too.
///
/// Inputs are methods; ``takeActions()`` gives the actions, and is called after each input.
/// - Confinement: any
package struct Outbox: Sendable {
    /// After a reset, how old a sent write may be for the server to know its key for certain: it keeps keys for 7 days.
    private static let keyAgeMaxMilliseconds: Int64 = 6 * 86_400_000
    let configuration: OutboxConfiguration
    var chance: Chance
    var writes: OutboxWrites
    var isLive = false
    private var isReset = false
    /// The server's time less ours.
    var offset: Int64 = 0
    var preferences: JSONValue?
    var bound = MessageBound()

    package init(_ configuration: OutboxConfiguration, chance: Chance) {
        self.configuration = configuration
        self.chance = chance
        writes = OutboxWrites(configuration)
    }

    /// The entries, in order, as they are stored; those whose own event has come are not among them.
    package var entries: [WriteEntry] { writes.items.filter { $0.ok == nil }.map(\.entry) }

    /// The entry with this key, unless its own event has come.
    package func entry(of key: String) -> WriteEntry? {
        writes.items.first { $0.entry.key == key && $0.ok == nil }?.entry
    }

    /// The error of a command that is longer than what the server takes, by what is known of the server; nil when it is not.
    package func refusal(of command: JSONObject) -> JSONValue? {
        let size = JSONValue.object(command).bytes.count
        return bound.isExceeded(by: size) ? .some(bound.error(size)) : .none
    }

    /// The error of a command for which there is no room beside those that wait; nil when there is.
    package func refusalWithoutRoom(for command: JSONObject) -> JSONValue? {
        let size = JSONValue.object(command).bytes.count
        if writes.items.count < configuration.entriesMax, writes.bytes + size <= configuration.bytesMax { return nil }
        return ["code": "outbox-full", "class": "storage", "message": "too many writes wait for the server"]
    }

    /// When ``tick(at:)`` must be called at the latest; nil when nothing is due.
    package var nextDeadline: Int64? { isLive ? writes.items.compactMap(\.until).min() : nil }

    /// Sends what may go, and returns the actions to perform, in order.
    package mutating func takeActions(at now: Int64) -> [OutboxAction] {
        pump(at: now)
        defer { writes.actions = [] }
        return writes.actions
    }

    // MARK: The application

    /// Takes a new write.
    /// - Parameter base: The document as the application sees it; nil when that is not known.
    package mutating func write(_ key: String, _ command: JSONObject, base: WriteEntry.Version? = nil, at now: Int64) {
        var entry = WriteEntry(key, command, base: base, of: configuration.user)
        let size = JSONValue.object(command).bytes.count
        if bound.isExceeded(by: size) { return writes.actions.append(.refused(key: key, error: bound.error(size))) }
        if writes.merge(entry, within: bound) { return }
        if let full = refusalWithoutRoom(for: command) {
            return writes.actions.append(.refused(key: key, error: full))
        }
        let lane = entry.lane
        if writes.items.contains(where: { $0.entry.lane == lane && $0.entry.isHolding }) { entry.state = .blocked }
        let isFirst = writes.items.allSatisfy { $0.entry.lane != lane || $0.entry.isAside }
        let place = writes.add(entry, size)
        // A write that can leave at once is stored as sent, so that it is stored once.
        if isLive, isFirst, !writes.isProbing, writes.underWay < configuration.lanesMax {
            writes.prepare(place, at: now + offset)
        }
        writes.keep(place)
    }

    /// Sends a write once more that failed or is uncertain: under a new key, at its old place.
    package mutating func retry(_ key: String) {
        guard let place = writes.place(of: key), [.failed, .uncertain].contains(writes.items[place].entry.state) else {
            return
        }
        writes.renew(place)
        writes.keep(place)
        writes.unblock(writes.items[place].entry.lane)
    }

    /// Takes a write away that is not under way.
    package mutating func discard(_ key: String) {
        guard let place = writes.place(of: key), writes.items[place].phase == .idle, writes.items[place].ok == nil
        else {
            return writes.refuse(key, "already-sent", "permanent", "the write is under way")
        }
        writes.drop(place, OutboxWrites.cancelled)
    }

    /// Takes a write back that has not left.
    package mutating func cancel(_ key: String) {
        guard let place = writes.place(of: key), [.queued, .blocked].contains(writes.items[place].entry.state) else {
            return writes.refuse(key, "already-sent", "permanent", "the write is under way, or done")
        }
        writes.drop(place, OutboxWrites.cancelled)
    }

    /// The decision of the application about a conflict.
    /// - Confinement: any
    package enum Choice: Sendable, Equatable {
        case mine, theirs
        case data(JSONValue)
    }

    /// Takes the answer to ``OutboxAction/conflict(key:mine:base:current:)``.
    package mutating func resolve(_ key: String, _ choice: Choice) {
        guard let place = writes.place(of: key), writes.items[place].phase == .deciding else { return }
        writes.items[place].phase = .idle
        var error = writes.items[place].entry.error ?? [:]
        let current = WriteEntry.Version(of: error["current"])
        switch choice {
        case .theirs:
            error["class"] = "cancelled"
            return writes.drop(place, error)
        case .data(let data):
            let path = writes.items[place].entry.command["path"] ?? .null
            writes.items[place].entry.command = ["type": "put", "path": path, "data": data]
        case .mine: break
        }
        writes.rebase(place, on: current)
    }

    // MARK: The store

    /// Takes the entries of the store at the start.
    /// - Parameter isForeign: Whether the store is a copy of one that another device uses, too.
    package mutating func restore(_ entries: [WriteEntry], isForeign: Bool = false) {
        for entry in entries {
            let place = writes.addStored(entry)
            if isForeign, entry.state == .sent { writes.change(place, to: .uncertain) }
        }
    }

    /// Takes an entry that another process has stored; or one of this process, which was read before the store took it away
    /// or renamed it.
    package mutating func added(_ entry: WriteEntry) {
        guard writes.place(of: entry.key) == nil, writes.leaving[entry.key] == nil else { return }
        guard entry.order == nil || !writes.items.contains(where: { $0.entry.order == entry.order }) else { return }
        let place = writes.addStored(entry)
        if writes.isHeld(place) { writes.change(place, to: .blocked) }
    }

    /// The store has an entry, as it was in the last `keep`.
    package mutating func kept(_ key: String, order: Int64, isDurable: Bool = true) {
        guard var place = writes.place(of: key) else { return }
        if writes.items[place].entry.order != order {
            var item = writes.items.remove(at: place)
            item.entry.order = order
            place = writes.insert(item)
        }
        writes.items[place].keeping -= 1
        guard writes.items[place].keeping <= 0 else { return }
        writes.items[place].isKept = true
        if !writes.items[place].isReported { writes.actions.append(.kept(key: key, isDurable: isDurable)) }
        writes.items[place].isReported = true
        if writes.items[place].phase == .preparing { fly(place) }
    }

    /// The store has an entry no longer.
    package mutating func removed(_ key: String) {
        if let error = writes.leaving.removeValue(forKey: key) {
            if let error { writes.actions.append(.ended(key: key, error: error)) }
            return
        }
        guard let place = writes.place(of: key) else { return }
        if writes.items[place].ok == nil { writes.forget(place) } else { writes.items[place].isGone = true }
    }

    // MARK: The session

    /// The session is live.
    /// - Parameter time: The server's time in milliseconds.
    package mutating func live(time: Int64, at now: Int64) {
        isLive = true
        offset = time - now
        guard isReset else { return }
        isReset = false
        for place in writes.items.indices {
            let entry = writes.items[place].entry
            guard entry.state == .sent, (entry.firstSent ?? 0) <= time - Self.keyAgeMaxMilliseconds,
                !WriteKind.isRepeatable(entry.command)
            else { continue }
            writes.change(place, to: .uncertain)
        }
    }

    /// The session is live no longer.
    /// - Parameter end: How its connection has ended; nil when nothing follows from that.
    package mutating func offline(_ end: TransportEnd? = nil) {
        isLive = false
        // One that turns out to be done leaves its place to the next one.
        var place = 0
        while place < writes.items.count { if !writes.land(place) { place += 1 } }
        suspect(after: end)
    }

    /// The server has said its bounds.
    package mutating func limits(messageBytes: Int64) { if messageBytes > 0 { bound.bytesMax = messageBytes } }

    /// The server could not send the missed events, or the cursor was lost: own events prove nothing for what is older.
    package mutating func reset() { isReset = true }

    /// The preferences as they were fetched.
    package mutating func fetched(preferences: JSONValue) { self.preferences = preferences }

    /// Takes a durable event of this user.
    package mutating func receive(_ event: JSONValue) {
        if event["type"] == "preferences" { preferences = event["preferences"] }
        guard let key = event["key"]?.stringValue, let place = writes.place(of: key), writes.items[place].ok == nil,
            let ok = WriteKind.ok(of: writes.items[place].entry.command, from: event, configuration.user)
        else { return }
        guard writes.items[place].phase == .flying else { return writes.succeed(place, ok) }
        // On the connection on which it was sent the reply follows, and says more.
        writes.items[place].ok = ok
        writes.actions.append(.remove(key: key))
    }

    /// Takes the end of a `send`.
    package mutating func reply(_ key: String, _ reply: Result<JSONValue, WriteRefusal>, at now: Int64) {
        guard let place = writes.place(of: key), writes.items[place].phase == .flying else { return }
        writes.items[place].phase = .idle
        switch reply {
        case .success(let ok): writes.succeed(place, ok)
        case .failure(let refusal):
            if let ok = writes.items[place].ok { return writes.succeed(place, ok) }
            writes.clear(place)
            if refusal.kind == "permanent" { return writes.judge(place, refusal.error) }
            // The application can tell it from a write that has no connection.
            writes.items[place].entry.error = refusal.error
            writes.save(place)
            let wait =
                (refusal.error["retryAfterMs"]?.integerValue ?? 0) + writes.items[place].backoff.next(using: &chance)
            writes.items[place].until = now + wait
        }
    }

    /// The connection of a `send` broke before its reply.
    package mutating func lost(_ key: String) {
        guard let place = writes.place(of: key), writes.items[place].phase == .flying else { return }
        isLive = false
        writes.land(place)
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
