/// The sessions of one loop that get a stream's publications. Most streams have one session, which needs no memory of
/// its own.
///
/// - Confinement: any
package enum Subscribers: Sendable, Hashable, RandomAccessCollection {
    case one(Slot)
    case several([Slot])

    /// Nobody.
    package static let none = Subscribers.several([])

    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch self {
        case .one: 1
        case .several(let slots): slots.count
        }
    }

    package subscript(index: Int) -> Slot {
        switch self {
        case .one(let slot): slot
        case .several(let slots): slots[index]
        }
    }

    /// Calls `body` for each session. Iterating the collection would check the case at each step; this checks it once.
    package func forEach(_ body: (Slot) throws -> Void) rethrows {
        switch self {
        case .one(let slot): try body(slot)
        case .several(let slots): for slot in slots { try body(slot) }
        }
    }

    /// Appends a session.
    mutating func append(_ slot: Slot) {
        switch self {
        case .one(let first): self = .several([first, slot])
        case .several(var slots) where !slots.isEmpty:
            self = .none
            slots.append(slot)
            self = .several(slots)
        case .several: self = .one(slot)
        }
    }

    /// Removes one occurrence of a session without keeping the order, which has no meaning.
    mutating func removeOne(_ slot: Slot) {
        switch self {
        case .one(let only): if only == slot { self = .none }
        case .several(var slots):
            // Sessions that come and go are usually the last ones.
            guard let index = slots.lastIndex(of: slot) else { return }
            self = .none
            slots.swapAt(index, slots.count - 1)
            slots.removeLast()
            self = slots.count == 1 ? .one(slots[0]) : .several(slots)
        }
    }
}
