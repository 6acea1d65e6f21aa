import JSON
import Session

/// The items that a reader got last, as values of their type. Rows of which no value can be made are left out.
/// - Confinement: the task that reads
final class ShownItems<Item: Sendable & Hashable> {
    private let make: (JSONObject) -> Item?
    private(set) var items = Snapshot<Item>.Items()
    /// The indexes of the rows that are left out, in their order.
    private var hidden: [Int] = []

    init(_ make: @escaping (JSONObject) -> Item?) { self.make = make }

    /// Takes the steps of rows.
    /// - Returns: those of the items.
    func take(_ changes: [ListChange]) -> [Snapshot<Item>.Change] {
        if items.isEmpty, hidden.isEmpty { return takeAll(changes) }
        return changes.compactMap(take)
    }

    /// The first steps only add, one item after the other.
    private func takeAll(_ changes: [ListChange]) -> [Snapshot<Item>.Change] {
        var made: [Item] = []
        for (place, change) in changes.enumerated() {
            guard case .add(let row, place) = change else { return changes.compactMap(take) }
            if let item = make(row) { made.append(item) } else { hidden.append(place) }
        }
        items = Snapshot<Item>.Items(made)
        return made.enumerated().map { .add($1, at: $0) }
    }

    private func take(_ change: ListChange) -> Snapshot<Item>.Change? {
        switch change {
        case .add(let row, let index): return add(row, at: index).map { .add($0.item, at: $0.index) }
        case .remove(_, let index): return remove(at: index).map { .remove($0.item, at: $0.index) }
        case .change(let row, let index):
            let (old, new) = (remove(at: index), add(row, at: index))
            if let new, old != nil { return .change(new.item, at: new.index) }
            return new.map { .add($0.item, at: $0.index) } ?? old.map { .remove($0.item, at: $0.index) }
        case .move(let row, let from, let index):
            let (old, new) = (remove(at: from), add(row, at: index))
            if let new, let old { return .move(new.item, from: old.index, to: new.index) }
            return new.map { .add($0.item, at: $0.index) } ?? old.map { .remove($0.item, at: $0.index) }
        }
    }

    private func add(_ row: JSONObject, at index: Int) -> (item: Item, index: Int)? {
        let before = hidden.count { $0 < index }
        for place in hidden.indices[before...] { hidden[place] += 1 }
        guard let item = make(row) else {
            hidden.insert(index, at: before)
            return nil
        }
        items.insert(item, at: index - before)
        return (item, index - before)
    }

    private func remove(at index: Int) -> (item: Item, index: Int)? {
        let before = hidden.count { $0 < index }
        let isHidden = before < hidden.count && hidden[before] == index
        if isHidden { hidden.remove(at: before) }
        for place in hidden.indices[before...] { hidden[place] -= 1 }
        return isHidden ? nil : (items.remove(at: index - before), index - before)
    }
}
