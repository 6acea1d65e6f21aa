import JSON

/// The writes of an outbox in their lanes, and what becomes of each. Every change is an action for the owner of the outbox.
/// - Confinement: any
struct OutboxWrites: Sendable {
    static let cancelled: JSONValue = [
        "code": "cancelled", "class": "cancelled", "message": "the write was cancelled",
    ]

    /// In the order of the calls.
    var items: [OutboxItem] = []
    /// Of all commands as JSON.
    private(set) var bytes = 0
    /// Writes that are over, until the store has them no longer; with an error where the application ended them.
    var leaving: [String: JSONValue?] = [:]
    var actions: [OutboxAction] = []
    let asksAboutConflicts: Bool
    private let backoff: Backoff

    init(_ configuration: OutboxConfiguration) {
        asksAboutConflicts = configuration.asksAboutConflicts
        backoff = configuration.backoff
    }

    /// How many lanes have a write under way.
    var underWay: Int { items.count { $0.phase == .preparing || $0.phase == .flying } }

    /// Whether a write goes alone, because it may be the one that ends connections.
    var isProbing: Bool { items.contains(where: \.isSuspect) }

    /// A write is about to be sent: the store must know that first.
    /// - Parameter time: The server's.
    mutating func prepare(_ place: Int, at time: Int64) {
        items[place].phase = .preparing
        items[place].entry.state = .sent
        items[place].entry.firstSent = time
        items[place].entry.attempts = 1
        guard items[place].entry.isChained else { return }
        items[place].entry.command["ifVersion"] = .integer(items[place].entry.base?.made.version ?? 0)
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

    /// The server has answered it.
    mutating func clear(_ place: Int) {
        items[place].ends = 0
        items[place].isSuspect = false
    }

    mutating func refuse(_ key: String, _ code: String, _ kind: String, _ message: String) {
        actions.append(
            .refused(key: key, error: ["code": .string(code), "class": .string(kind), "message": .string(message)]))
    }

    // MARK: The list

    /// Makes a write part of the last one of its lane and type that has not left.
    mutating func merge(_ entry: WriteEntry, within bound: MessageBound) -> Bool {
        let type = entry.type
        guard
            let place = items.lastIndex(where: { item in
                item.entry.lane == entry.lane && item.entry.state == .queued && item.entry.type == type
            }), let merged = WriteKind.merged(items[place].entry.command, entry.command),
            !bound.isExceeded(by: JSONValue.object(merged).bytes.count)
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
        return insert(OutboxItem(entry: entry, bytes: size, backoff: backoff))
    }

    /// Puts an item at its place by the store's numbers; those without one stay at the end, in their order.
    mutating func insert(_ item: OutboxItem) -> Int {
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
}
