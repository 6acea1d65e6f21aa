/// A binary heap whose first element is the smallest.
///
/// - Confinement: any
package struct MinimumHeap<Element: Comparable> {
    private var elements: [Element]

    package init(_ elements: [Element]) {
        // A sorted array is a heap.
        self.elements = elements.sorted()
    }

    package var count: Int { elements.count }
    package var first: Element? { elements.first }

    /// Puts an element in.
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Puts another element in the place of the smallest one; there must be one.
    package mutating func replaceFirst(with element: Element) {
        elements[0] = element
        var parent = 0
        while true {
            let left = 2 * parent + 1
            guard left < elements.count else { return }
            let isRight = left + 1 < elements.count && elements[left + 1] < elements[left]
            let child = isRight ? left + 1 : left
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            parent = child
        }
    }

    /// Takes the smallest element out; there must be one.
    package mutating func removeFirst() {
        let last = elements.removeLast()
        if !elements.isEmpty { replaceFirst(with: last) }
    }

    /// Takes out what does not satisfy a condition.
    package mutating func removeAll(where isGone: (Element) -> Bool) {
        elements.removeAll(where: isGone)
        elements.sort()
    }
}

extension MinimumHeap: Sendable where Element: Sendable {}
