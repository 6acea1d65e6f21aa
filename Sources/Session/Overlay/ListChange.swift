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
        let wanted = Set(after.map { identity(of: $0, user) })
        var changes: [ListChange] = []
        var list = before.map { (identity: identity(of: $0, user), item: $0) }
        for index in list.indices.reversed() where !wanted.contains(list[index].identity) {
            changes.append(.remove(list[index].item, at: index))
            list.remove(at: index)
        }
        for (index, item) in after.enumerated() {
            let identity = identity(of: item, user)
            // Most items stay where they are.
            let isHere = index < list.count && list[index].identity == identity
            let from = isHere ? index : list.indices.dropFirst(index).first { list[$0].identity == identity }
            switch from {
            case nil: changes.append(.add(item, at: index))
            case index?: if list[index].item != item { changes.append(.change(item, at: index)) }
            case let from?: changes.append(.move(item, from: from, to: index))
            }
            if from == index { continue }
            if let from { list.remove(at: from) }
            list.insert((identity, item), at: index)
        }
        return changes
    }

    /// The identity of an item over all its forms: a message that was sent has the key of the one that waited.
    private static func identity(of item: JSONObject, _ user: String) -> String {
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
