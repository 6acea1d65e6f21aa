import JSON

/// The sending of an outbox: what goes when.
extension Outbox {
    /// Sends what may go: one write of a lane, some lanes side by side. An outbox may have many entries, and this comes with each
    /// step: it goes over them once.
    mutating func pump(at now: Int64) {
        guard isLive else { return }
        let isProbing = writes.isProbing
        var free = (isProbing ? 1 : configuration.lanesMax) - writes.underWay
        var passed: Set<String> = []
        for item in writes.items where item.phase != .idle { passed.insert(item.entry.lane) }
        var place = 0
        while place < writes.items.count, free > 0 {
            let lane = writes.items[place].entry.lane
            guard !isProbing || writes.items[place].isSuspect, !passed.contains(lane),
                mayGo(place, at: now, past: &passed)
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
        guard writes.items[place].ok == nil, !writes.items[place].entry.isAside else { return false }
        passed.insert(writes.items[place].entry.lane)
        return [.queued, .sent].contains(writes.items[place].entry.state) && writes.items[place].isKept
            && writes.items[place].until ?? .min <= now
    }

    /// The fate of a write whose turn it is.
    private enum Going { case leaves, isDone, isRefused }

    private mutating func go(_ place: Int, at now: Int64) -> Going {
        writes.items[place].until = nil
        let entry = writes.items[place].entry
        if bound.isExceeded(by: writes.items[place].bytes) {
            // It was stored before the server said its bound, or it is another one now.
            writes.fail(place, bound.error(writes.items[place].bytes))
            return .isRefused
        }
        guard entry.state == .sent else {
            // The store must know that it may have been sent before it can have been sent.
            writes.prepare(place, at: now + offset)
            writes.keep(place)
            return .leaves
        }
        if entry.type == "preferences", let preferences, let set = entry.command["set"],
            preferences.merged(with: set) == preferences
        {
            writes.succeed(place, preferences)
            return .isDone
        }
        writes.items[place].entry.attempts += 1
        fly(place)
        return .leaves
    }

    mutating func fly(_ place: Int) {
        writes.items[place].phase = .idle
        // It goes with the next connection, or after the one that goes alone.
        guard isLive, !writes.isProbing || writes.items[place].isSuspect else { return }
        writes.items[place].phase = .flying
        writes.actions.append(.send(key: writes.items[place].entry.key, writes.items[place].entry.command))
    }
}
