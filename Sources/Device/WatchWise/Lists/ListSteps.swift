import JSON
import Session

/// The items of a list while they are patched, and the steps so far. The sorted ones stand together; before or after them are
/// those that stand aside.
struct ListSteps {
    private(set) var items: [JSONObject]
    private(set) var changes: [ListChange] = []
    private let shape: ListShape
    private let order: RowOrder
    private let user: String
    /// Where the sorted items are.
    private var sorted: Range<Int>

    init(_ items: [JSONObject], _ shape: ListShape, _ order: RowOrder, extraCount: Int, user: String) {
        self.items = items
        self.shape = shape
        self.order = order
        self.user = user
        sorted = shape.extrasFirst ? extraCount..<items.count : 0..<(items.count - extraCount)
    }

    /// The index of the sorted item at a place; nil when there is none.
    func index(of place: RowPlace) -> Int? {
        let index = order.index(of: place, in: items, sorted)
        return index < sorted.upperBound && order.place(of: items[index]) == place ? index : nil
    }

    /// One of the sorted items is another one now, or none (nil); it was at an index, or at none.
    mutating func patch(_ index: Int?, to item: JSONObject?) {
        guard let item else {
            if let index { remove(at: index) }
            return
        }
        let place = order.place(of: item)
        if let index {
            if order.place(of: items[index]) == place { return change(index, to: item) }
            let old = items.remove(at: index)
            sorted = sorted.lowerBound..<(sorted.upperBound - 1)
            insert(item, at: order.index(of: place, in: items, sorted), from: index, old)
            sorted = sorted.lowerBound..<(sorted.upperBound + 1)
        } else if let extra = extra(like: item) {
            // It stood aside.
            let old = items.remove(at: extra)
            if shape.extrasFirst { sorted = (sorted.lowerBound - 1)..<(sorted.upperBound - 1) }
            insert(item, at: order.index(of: place, in: items, sorted), from: extra, old)
            sorted = sorted.lowerBound..<(sorted.upperBound + 1)
        } else {
            add(item, at: order.index(of: place, in: items, sorted))
            sorted = sorted.lowerBound..<(sorted.upperBound + 1)
        }
    }

    // MARK: Those that stand aside

    private var extras: Range<Int> { shape.extrasFirst ? 0..<sorted.lowerBound : sorted.upperBound..<items.count }

    /// The index of the one that is the same thing as an item.
    /// - Parameter skipped: How many of them are not looked at.
    func extra(like item: JSONObject, from skipped: Int = 0) -> Int? {
        let identity = ListChange.identity(of: item, user)
        return extras.dropFirst(skipped).first { ListChange.identity(of: items[$0], user) == identity }
    }

    /// Removes those that stand aside no longer.
    mutating func removeExtras(but wanted: [JSONObject]) {
        let identities = Set(wanted.map { ListChange.identity(of: $0, user) })
        for index in extras.reversed() where !identities.contains(ListChange.identity(of: items[index], user)) {
            remove(at: index)
        }
    }

    /// Puts one of them at its place. It stood at an index, perhaps among the sorted ones, or at none.
    mutating func putExtra(_ item: JSONObject, at place: Int, from: Int?) {
        let index = (shape.extrasFirst ? 0 : sorted.upperBound) + place
        if shape.extrasFirst, from.map({ $0 >= sorted.lowerBound }) ?? true {
            sorted = (sorted.lowerBound + 1)..<(from == nil ? sorted.upperBound + 1 : sorted.upperBound)
        }
        guard let from else { return add(item, at: index) }
        if from == index { return change(index, to: item) }
        let old = items.remove(at: from)
        insert(item, at: index, from: from, old)
    }

    // MARK: Steps

    private mutating func change(_ index: Int, to item: JSONObject) {
        if items[index] == item { return }
        items[index] = item
        changes.append(.change(item, at: index))
    }

    private mutating func remove(at index: Int) {
        changes.append(.remove(items.remove(at: index), at: index))
        let isBefore = index < sorted.lowerBound
        if isBefore || sorted.contains(index) {
            sorted = (isBefore ? sorted.lowerBound - 1 : sorted.lowerBound)..<(sorted.upperBound - 1)
        }
    }

    private mutating func add(_ item: JSONObject, at index: Int) {
        items.insert(item, at: index)
        changes.append(.add(item, at: index))
    }

    /// Puts an item in that was taken out.
    private mutating func insert(_ item: JSONObject, at index: Int, from: Int, _ old: JSONObject) {
        items.insert(item, at: index)
        if from != index {
            changes.append(.move(item, from: from, to: index))
        } else if old != item {
            changes.append(.change(item, at: index))
        }
    }
}
