/// The members of a JSON object, in the order they came.
///
/// Objects here are small: looking up a member walks the list. Two objects are equal when they have the same members,
/// in whatever order (RFC 8259, section 1: an object is unordered). Names are compared by code points, not by Unicode
/// equivalence.
///
/// - Confinement: any
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// Names and values in the order they came; no name twice.
    package private(set) var members: [(name: String, value: JSONValue)]

    /// An object without members.
    package init() {
        members = []
    }

    /// An object of these members; of a name that comes twice the last value stays.
    package init(_ members: some Sequence<(name: String, value: JSONValue)>) {
        self.members = []
        for member in members { self[member.name] = member.value }
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
        get { index(of: name).map { members[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members.elementsEqual(right.members, by: { $0.name == $1.name && $0.value == $1.value }) { return true }
        let byName = Dictionary(right.members.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { $1 })
        return left.members.allSatisfy { byName[Array($0.name.utf8)] == $0.value }
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
