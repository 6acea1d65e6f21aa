import JSON

/// The lanes of an outbox: what goes when, and what becomes of it.
extension Outbox {
    /// How many lanes have a write under way.
    var underWay: Int { items.count { $0.phase == .preparing || $0.phase == .flying } }

    /// Sends what may go: one write of a lane, some lanes side by side. An outbox may have many entries, and this comes with each
    /// step: it goes over them once.
    mutating func pump(at now: Int64) {
        guard isLive else { return }
        let isProbing = isProbing
        var free = (isProbing ? 1 : configuration.lanesMax) - underWay
        var passed: Set<String> = []
        for item in items where item.phase != .idle { passed.insert(item.entry.lane) }
        var place = 0
        while place < items.count, free > 0 {
            let lane = items[place].entry.lane
            guard !isProbing || items[place].isSuspect, !passed.contains(lane), mayGo(place, at: now, past: &passed)
            else {
                place += 1
                continue
            }
            switch go(place, at: now) {
            case .leaves:
                place += 1
                free -= 1
            // The next item is at its place now.
            case .isDone: passed.remove(lane)
            case .isRefused:
                place += 1
                passed.remove(lane)
            }
        }
    }

    /// Whether the first write of a lane goes. Unless it lets them pass, those after it in its lane do not.
    private func mayGo(_ place: Int, at now: Int64, past passed: inout Set<String>) -> Bool {
        guard items[place].ok == nil, !items[place].entry.isAside else { return false }
        passed.insert(items[place].entry.lane)
        return [.queued, .sent].contains(items[place].entry.state) && items[place].isKept
            && items[place].until ?? .min <= now
    }

    /// The fate of a write whose turn it is.
    private enum Going { case leaves, isDone, isRefused }

    private mutating func go(_ place: Int, at now: Int64) -> Going {
        items[place].until = nil
        let entry = items[place].entry
        if isTooLarge(items[place].bytes) {
            // It was stored before the server said its bound, or it is another one now.
            fail(place, tooLarge(items[place].bytes))
            return .isRefused
        }
        guard entry.state == .sent else {
            // The store must know that it may have been sent before it can have been sent.
            prepare(place, at: now)
            keep(place)
            return .leaves
        }
        if entry.type == "preferences", let preferences, let set = entry.command["set"],
            preferences.merged(with: set) == preferences
        {
            succeed(place, preferences)
            return .isDone
        }
        items[place].entry.attempts += 1
        fly(place)
        return .leaves
    }

    mutating func prepare(_ place: Int, at now: Int64) {
        items[place].phase = .preparing
        items[place].entry.state = .sent
        items[place].entry.firstSent = now + offset
        items[place].entry.attempts = 1
        guard items[place].entry.isChained else { return }
        items[place].entry.command["ifVersion"] = .integer(items[place].entry.base?.made.version ?? 0)
    }

    mutating func fly(_ place: Int) {
        items[place].phase = .idle
        // It goes with the next connection, or after the one that goes alone.
        guard isLive, !isProbing || items[place].isSuspect else { return }
        items[place].phase = .flying
        actions.append(.send(key: items[place].entry.key, items[place].entry.command))
    }

    /// The connection is gone: whether the write was done is not known, unless its event came.
    /// - Returns: whether it was done.
    @discardableResult
    mutating func land(_ place: Int) -> Bool {
        items[place].until = nil
        guard items[place].phase == .flying || items[place].phase == .preparing else { return false }
        if items[place].phase == .flying {
            items[place].phase = .idle
            items[place].isCut = true
        }
        guard let ok = items[place].ok else { return false }
        succeed(place, ok)
        return true
    }

    // MARK: Outcomes

    mutating func succeed(_ place: Int, _ ok: JSONValue) {
        let entry = items[place].entry
        if items[place].ok == nil { actions.append(.remove(key: entry.key)) }
        if entry.isDocument { chain(place, ok) }
        forget(place)
        actions.append(.done(key: entry.key, ok: ok))
    }

    /// The next write of the path bears the version that this one resulted in.
    private mutating func chain(_ place: Int, _ ok: JSONValue) {
        let entry = items[place].entry
        guard let next = items.indices.first(where: { $0 != place && items[$0].entry.lane == entry.lane }),
            items[next].entry.isChained, items[next].entry.state != .sent
        else { return }
        let isGone = entry.type == "remove"
        let data = ok["data"] ?? Self.result(of: entry.command, on: entry.base?.made.data ?? .null)
        let made = WriteEntry.Version(
            version: isGone ? 0 : ok["version"]?.integerValue ?? 0, data: isGone ? .null : data)
        items[next].entry.base = WriteEntry.Origin(made, isResult: true)
        save(next)
    }

    /// A write that will not be done hands on the version that it got from the one before it.
    private mutating func handOn(_ place: Int) {
        let entry = items[place].entry
        guard let version = entry.base?.fromBefore,
            let next = items.indices.dropFirst(place + 1).first(where: { items[$0].entry.lane == entry.lane }),
            items[next].entry.isChained, items[next].entry.state != .sent
        else { return }
        if version.version > 0, let own = items[next].entry.base, own.made.version > version.version { return }
        items[next].entry.base = WriteEntry.Origin(version, isResult: true)
        save(next)
    }

    mutating func judge(_ place: Int, _ error: JSONValue) {
        let entry = items[place].entry
        if entry.type == "remove", error["code"] == "not-found", entry.attempts > 1 { return succeed(place, [:]) }
        guard error["code"] == "conflict", entry.isDocument else { return fail(place, error) }
        let current = Self.version(of: error)
        if Self.isOurs(entry.command, current) {
            var ok: JSONValue = ["path": entry.command["path"] ?? .null, "version": .integer(current.version)]
            if !current.data.isNull { ok["data"] = current.data }
            return succeed(place, ok)
        }
        var told = error
        told["current"] = ["version": .integer(current.version), "data": current.data]
        items[place].entry.error = told
        if configuration.asksAboutConflicts {
            items[place].phase = .deciding
            var mine = entry.command
            mine["ifVersion"] = nil
            return actions.append(.conflict(key: entry.key, mine: mine, base: entry.base, current: current))
        }
        let isMergeable =
            entry.type == "patch"
            && entry.base.map { base in
                entry.command["data"]?.objectValue?.isUntouched(between: base.made.data, and: current.data) ?? false
            } ?? false
        if entry.isChained, entry.base == nil || isMergeable {
            rebase(place, on: current)
        } else {
            fail(place, told)
        }
    }

    /// Sends a write once more on the present version. Those after it have not agreed to what another device wrote: they get the
    /// version of the write before it, if it is dropped.
    mutating func rebase(_ place: Int, on current: WriteEntry.Version) {
        let result = items[place].entry.base?.fromBefore
        items[place].entry.base = WriteEntry.Origin(current, result: result)
        items[place].entry.isChained = true
        renew(place)
        keep(place)
    }

    mutating func renew(_ place: Int) {
        let old = items[place].entry.key
        let key = Self.nextKey(after: old)
        if items[place].entry.isChained { items[place].entry.command["ifVersion"] = nil }
        items[place].entry.command["key"] = .string(key)
        items[place].entry.key = key
        items[place].entry.state = .queued
        items[place].entry.firstSent = nil
        items[place].entry.attempts = 0
        items[place].entry.error = nil
        items[place].backoff.reset()
        items[place].until = nil
        clear(place)
        measure(place)
        actions.append(.renamed(key: old, to: key))
    }

    /// `k`, `k~1`, `k~2`.
    private static func nextKey(after key: String) -> String {
        let parts = key.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, last.allSatisfy(\.isNumber), let count = Int(last) else {
            return key + "~1"
        }
        return parts.dropLast().joined(separator: "~") + "~\(count + 1)"
    }

    mutating func fail(_ place: Int, _ error: JSONValue) {
        items[place].entry.error = error
        change(place, to: .failed)
        actions.append(.ended(key: items[place].entry.key, error: error))
        guard items[place].entry.isHolding else { return }
        for other in items.indices where items[other].entry.state == .queued && isHeld(other) {
            change(other, to: .blocked)
        }
    }

    /// Forgets a write that will not be done; those that waited for it go on. The application hears of it when the store has it no
    /// longer: a process that dies before must not send it after all.
    mutating func drop(_ place: Int, _ error: JSONValue) {
        let entry = items[place].entry
        leaving[entry.key] = error
        actions.append(.remove(key: entry.key))
        handOn(place)
        forget(place)
        unblock(entry.lane)
    }

    mutating func unblock(_ lane: String) {
        for place in items.indices
        where items[place].entry.lane == lane && items[place].entry.state == .blocked && !isHeld(place) {
            change(place, to: .queued)
        }
    }

    mutating func refuse(_ key: String, _ code: String, _ kind: String, _ message: String) {
        actions.append(
            .refused(key: key, error: ["code": .string(code), "class": .string(kind), "message": .string(message)]))
    }

    // MARK: Items

    /// Makes a write part of the last one of its lane and type that has not left.
    mutating func merge(_ entry: WriteEntry) -> Bool {
        let type = entry.type
        guard
            let place = items.lastIndex(where: { item in
                item.entry.lane == entry.lane && item.entry.state == .queued && item.entry.type == type
            }), let merged = WriteKind.merged(items[place].entry.command, entry.command),
            !isTooLarge(JSONValue.object(merged).bytes.count)
        else { return false }
        items[place].entry.command = merged
        measure(place)
        items[place].isReported = false
        actions.append(.merged(key: entry.key, into: items[place].entry.key))
        keep(place)
        return true
    }

    /// Its command is another one.
    mutating func measure(_ place: Int) {
        bytes -= items[place].bytes
        items[place].bytes = JSONValue.object(items[place].entry.command).bytes.count
        bytes += items[place].bytes
    }

    mutating func addStored(_ entry: WriteEntry) -> Int {
        let place = add(entry, JSONValue.object(entry.command).bytes.count)
        items[place].isKept = true
        items[place].isReported = true
        return place
    }

    mutating func add(_ entry: WriteEntry, _ size: Int) -> Int {
        bytes += size
        return insert(Item(entry: entry, bytes: size, backoff: configuration.backoff))
    }

    /// Puts an item at its place by the store's numbers; those without one stay at the end, in their order.
    mutating func insert(_ item: Item) -> Int {
        var place = items.count
        if let order = item.entry.order {
            while place > 0, items[place - 1].entry.order ?? .max > order { place -= 1 }
        }
        items.insert(item, at: place)
        return place
    }

    mutating func forget(_ place: Int) {
        bytes -= items[place].bytes
        items.remove(at: place)
    }

    func place(of key: String) -> Int? { items.firstIndex { $0.entry.key == key } }

    /// Whether one before it in its lane holds it.
    func isHeld(_ place: Int) -> Bool {
        items[..<place].contains { $0.entry.lane == items[place].entry.lane && $0.entry.isHolding }
    }

    mutating func change(_ place: Int, to state: WriteEntry.State) {
        items[place].entry.state = state
        if state != .sent { items[place].isSuspect = false }
        save(place)
    }

    mutating func keep(_ place: Int) {
        items[place].isKept = false
        items[place].keeping += 1
        actions.append(.keep(items[place].entry))
    }

    mutating func save(_ place: Int) { actions.append(.save(items[place].entry)) }

    // MARK: Documents

    static func version(of value: JSONValue?) -> WriteEntry.Version {
        WriteEntry.Version(version: value?["version"]?.integerValue ?? 0, data: value?["data"] ?? .null)
    }

    private static func result(of command: JSONObject, on base: JSONValue) -> JSONValue {
        let data = command["data"] ?? .null
        return command["type"] == "put" ? data : base.merged(with: data)
    }

    /// Whether a conflict shows what this very write makes: it was done before, and the server forgot its key.
    private static func isOurs(_ command: JSONObject, _ current: WriteEntry.Version) -> Bool {
        if command["type"] == "remove" { return current.data.isNull }
        let wanted = command["ifVersion"]?.integerValue ?? 0
        if current.data.isNull || wanted > 0 && current.version != wanted + 1 { return false }
        return current.data == result(of: command, on: current.data)
    }
}
