/// A queue in an array, of which nothing is moved that is not taken.
///
/// - Confinement: any
package struct FirstInFirstOut<Element> {
    /// What was taken stays in the array until it is so many, and half of it.
    private static var takenMax: Int { 64 }

    private var elements: [Element] = []
    private var taken = 0

    package init() {}

    package init(_ element: Element) { elements = [element] }

    package var isEmpty: Bool { taken == elements.count }
    package var count: Int { elements.count - taken }
    /// What is taken next.
    package var first: Element? { isEmpty ? nil : elements[taken] }

    /// Puts an element after the others.
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first element out; nil when there is none.
    package mutating func takeFirst() -> Element? {
        guard taken < elements.count else { return nil }
        let element = elements[taken]
        taken += 1
        if taken == elements.count {
            // An array that was large once is not kept.
            if taken > Self.takenMax { elements = [] } else { elements.removeAll(keepingCapacity: true) }
            taken = 0
        } else if taken >= Self.takenMax, taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }

    /// Puts back what was taken.
    package mutating func putBack(_ element: Element) {
        if taken > 0 {
            taken -= 1
            elements[taken] = element
        } else {
            elements.insert(element, at: 0)
        }
    }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
