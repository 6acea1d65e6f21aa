package import JSON

/// One step from a list to its next form.
/// - Confinement: any
package enum ListChange: Sendable, Equatable {
    case add(JSONObject, at: Int)
    case change(JSONObject, at: Int)
    case remove(JSONObject, at: Int)
    /// The item may have changed, too.
    case move(JSONObject, from: Int, to: Int)

    /// The steps that make one list of another, one after the other: first the items that are gone, from the end, then each
    /// place from the front.
    package static func steps(from before: [JSONObject], to after: [JSONObject], user: String) -> [ListChange] {
        let identities = after.map { identity(of: $0, user) }
        var rest = RemainingItems(before.map { (identity(of: $0, user), $0) })
        var changes = rest.removeAll(but: identities).map { ListChange.remove($0.item, at: $0.index) }
        for (index, item) in after.enumerated() {
            switch rest.take(identities[index]) {
            case nil: changes.append(.add(item, at: index))
            case (let old, 0)?: if old != item { changes.append(.change(item, at: index)) }
            case (_, let distance)?: changes.append(.move(item, from: index + distance, to: index))
            }
        }
        return changes
    }

    /// The identity of an item over all its forms: a message that was sent has the key of the one that waited.
    package static func identity(of item: JSONObject, _ user: String) -> String {
        if let path = item.string("path") { return path }
        if let id = item.string("id") { return id }
        if let topic = item.string("topic") { return topic }
        if let from = item.string("from") {
            if from == user, let key = item.string("key"), !key.isEmpty { return key }
            return "\(item.string("chat") ?? "")/\(item.integer("n"))"
        }
        return item.string("chat") ?? item.string("key") ?? ""
    }
}

/// The items of a list that have not found their new place yet, in their order.
///
/// A list may have many thousand items, and a reader waits for its steps: an item is found by its identity, and no array moves.
private struct RemainingItems {
    private struct Place {
        let identity: String
        let item: JSONObject
        /// Whether it has gone, or has found its place.
        var isTaken = false
        /// The next one with the same identity: an uncertain message beside the one that it may be.
        var next: Int?
    }

    private var places: [Place]
    /// The first one with an identity that is still here.
    private var firsts: [String: Int] = [:]
    /// Everything before it is taken.
    private var head = 0

    init(_ items: [(identity: String, item: JSONObject)]) {
        places = items.map { Place(identity: $0.identity, item: $0.item) }
    }

    /// Removes what is not wanted, or more often here than it is wanted.
    /// - Returns: the items, from the last one.
    mutating func removeAll(but wanted: [String]) -> [(index: Int, item: JSONObject)] {
        var surplus: [String: Int] = [:]
        for place in places { surplus[place.identity, default: 0] += 1 }
        for identity in wanted { surplus[identity, default: 0] -= 1 }
        var removed: [(index: Int, item: JSONObject)] = []
        for index in places.indices.reversed() {
            let identity = places[index].identity
            if let count = surplus[identity], count > 0 {
                surplus[identity] = count - 1
                places[index].isTaken = true
                removed.append((index, places[index].item))
            } else {
                places[index].next = firsts[identity]
                firsts[identity] = index
            }
        }
        return removed
    }

    /// Takes an item out.
    /// - Returns: the item, and how many stand before it; nil when it is not here.
    mutating func take(_ identity: String) -> (item: JSONObject, distance: Int)? {
        guard let index = firsts[identity] else { return nil }
        firsts[identity] = places[index].next
        while head < index, places[head].isTaken { head += 1 }
        let distance = places[head..<index].count { !$0.isTaken }
        places[index].isTaken = true
        return (places[index].item, distance)
    }
}
