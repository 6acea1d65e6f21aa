/// The members of a JSON object, in their original order.
///
/// Looking up a member searches the list. Code that needs many members must not look them up one by one: objects come
/// from outside, and can have as many members as fit into a message. Code that makes an object of many members passes
/// them to an initializer. Two objects are equal when they have the same members, in any order (RFC 8259, section 1: an
/// object is unordered). Names are compared by code points, not by Unicode equivalence.
///
/// - Confinement: any
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// Names and values in their original order; no name occurs twice.
    package private(set) var members: [(name: String, value: JSONValue)]

    /// An object without members.
    package init() {
        members = []
    }

    /// A member that is a text; nil when there is none.
    package func string(_ name: String) -> String? { self[name]?.stringValue }

    /// An object of these members. A repeated name keeps its first place and gets the last value. The time is
    /// proportional to their number.
    package init(_ members: some Sequence<(name: String, value: JSONValue)>) {
        self.members = Array(members)
        let places = placesByName
        guard places.count < self.members.count else { return }
        var kept: [(name: String, value: JSONValue)] = []
        var keptPlaces: [Int: Int] = [:]
        for member in self.members {
            guard let first = places[JSONName(member.name)] else { continue }
            if let place = keptPlaces[first] {
                kept[place].value = member.value
            } else {
                keptPlaces[first] = kept.count
                kept.append(member)
            }
        }
        self.members = kept
    }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (name: $0.0, value: $0.1) })
    }

    /// An object of members already known to have different names.
    package init(distinct members: [(name: String, value: JSONValue)]) {
        self.members = members
    }

    /// True when there are no members.
    package var isEmpty: Bool { members.isEmpty }
    /// How many members there are.
    package var count: Int { members.count }

    /// The value of a member; setting keeps its place or appends, setting nil removes it.
    package subscript(name: String) -> JSONValue? {
        get { place(of: name).map { members[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The index of a member in the list.
    func place(of name: String) -> Int? {
        // Texts with the same code points are also equal in Unicode, and that comparison is fast for short and plain
        // names.
        members.firstIndex { $0.name == name && $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The first index of each member, by the code points of its name.
    var placesByName: [JSONName: Int] {
        Dictionary(members.enumerated().lazy.map { (JSONName($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        // Each value is compared at most once: a second comparison at each level would double the work with every
        // level.
        for index in left.members.indices {
            guard left.members[index].name.utf8.elementsEqual(right.members[index].name.utf8) else {
                return isEqual(left.members[index...], right.members[index...])
            }
            guard left.members[index].value == right.members[index].value else { return false }
        }
        return true
    }

    /// Whether two lists have the same members in any order.
    private static func isEqual(
        _ left: ArraySlice<(name: String, value: JSONValue)>,
        _ right: ArraySlice<(name: String, value: JSONValue)>
    ) -> Bool {
        let byName = Dictionary(right.map { (JSONName($0.name), $0.value) }, uniquingKeysWith: { $1 })
        return left.allSatisfy { byName[JSONName($0.name)] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // A sum does not depend on the order.
        var sum = 0
        for member in members {
            var own = Hasher()
            own.combine(member.name)
            own.combine(member.value)
            sum &+= own.finalize()
        }
        hasher.combine(members.count)
        hasher.combine(sum)
    }
}
