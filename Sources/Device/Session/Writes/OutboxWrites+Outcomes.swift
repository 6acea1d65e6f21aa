import JSON

// The outcomes of a write: it is done, tried again, or refused, and those after it in its lane go on.
extension OutboxWrites {
    mutating func succeed(_ place: Int, _ ok: JSONValue) {
        let entry = items[place].entry
        if items[place].ok == nil { actions.append(.remove(key: entry.key)) }
        // Another process may have read it before the store takes it away, and speak of it after that.
        if !items[place].isGone { leaving[entry.key] = .some(nil) }
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
        let data = ok["data"] ?? WriteKind.result(of: entry.command, on: entry.base?.made.data ?? .null)
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
        let current = WriteEntry.Version(of: error)
        if entry.isDone(by: current) {
            var ok: JSONValue = ["path": entry.command["path"] ?? .null, "version": .integer(current.version)]
            if !current.data.isNull { ok["data"] = current.data }
            return succeed(place, ok)
        }
        var told = error
        told["current"] = ["version": .integer(current.version), "data": current.data]
        items[place].entry.error = told
        if asksAboutConflicts {
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
        let key = OutboxItem.nextKey(after: old)
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
}
