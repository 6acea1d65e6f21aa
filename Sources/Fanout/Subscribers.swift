/// The sessions of one loop that get what is published in a stream. Most streams have one, which needs no memory of its own.
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

    /// Calls `body` with each. A step over the collection looks at the case for each of them, this does so once.
    package func forEach(_ body: (Slot) throws -> Void) rethrows {
        switch self {
        case .one(let slot): try body(slot)
        case .several(let slots): for slot in slots { try body(slot) }
        }
    }

    /// One more.
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

    /// Removes one value where it is found, without keeping the order: nobody relies on it among sessions.
    mutating func removeOne(_ slot: Slot) {
        switch self {
        case .one(let only): if only == slot { self = .none }
        case .several(var slots):
            // Sessions that come and go are the last ones.
            guard let index = slots.lastIndex(of: slot) else { return }
            self = .none
            slots.swapAt(index, slots.count - 1)
            slots.removeLast()
            self = slots.count == 1 ? .one(slots[0]) : .several(slots)
        }
    }
}
