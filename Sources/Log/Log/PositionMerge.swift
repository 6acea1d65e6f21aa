package import Model

/// Merges positions from many sources in order, without reading much more of any source than it takes.
///
/// A source is read when the merge reaches its start: one position at first, then twice as many each time these are
/// used up. So at most twice as many positions are read as are returned, and one more for each source; a source with
/// many is asked seldom, and a source that starts beyond the last returned position is not asked at all. To take a
/// position costs the logarithm of the number of sources. A position that several sources have is taken once.
///
/// - Confinement: any
package enum PositionMerge {
    /// Which positions come first.
    package enum Order: Sendable {
        case ascending, descending
    }

    private struct Source {
        var found: ArraySlice<Position> = []
        var asked = 0
        var last: Position
        var isExhausted = false
    }

    /// A source in the heap, by the next position that it has, or, before it is read, by where it begins.
    private struct Turn: Comparable {
        let key: Int64
        let source: Int

        static func < (one: Turn, other: Turn) -> Bool {
            (one.key, one.source) < (other.key, other.source)
        }
    }

    /// The first `limit` positions of all sources.
    ///
    /// - Parameters:
    ///   - starts: for each source the position after which it begins; with ``Order/descending``, before which.
    ///   - read: the source's next positions beyond the given one, in order, at most as many as said.
    /// - Throws: what `read` throws.
    package static func merge(
        after starts: [Position],
        _ order: Order = .ascending,
        limit: Int,
        read: (_ source: Int, _ beyond: Position, _ limit: Int) throws -> [Position]
    ) rethrows -> [Position] {
        func key(_ position: Position) -> Int64 { order == .ascending ? position.value : -position.value }
        var sources = starts.map { Source(last: $0) }
        var turns = MinimumHeap(starts.enumerated().map { Turn(key: key($1), source: $0) })
        var merged: [Position] = []
        while merged.count < limit, let index = turns.first?.source {
            if let next = sources[index].found.popFirst() {
                // One that lies in several sources comes from all of them in a row.
                if merged.last != next { merged.append(next) }
            } else {
                sources[index].asked = min(max(1, sources[index].asked * 2), limit - merged.count)
                let found = try read(index, sources[index].last, sources[index].asked)
                sources[index].isExhausted = found.count < sources[index].asked
                sources[index].last = found.last ?? sources[index].last
                sources[index].found = found[...]
            }
            if let next = sources[index].found.first {
                turns.replaceFirst(with: Turn(key: key(next), source: index))
            } else if sources[index].isExhausted {
                turns.removeFirst()
            } else {
                turns.replaceFirst(with: Turn(key: key(sources[index].last), source: index))
            }
        }
        return merged
    }
}

/// A binary heap whose first element is the smallest.
///
/// - Confinement: any
struct MinimumHeap<Element: Comparable> {
    private var elements: [Element]

    init(_ elements: [Element]) {
        // A sorted array is a heap.
        self.elements = elements.sorted()
    }

    var first: Element? { elements.first }

    /// Puts another element in the place of the smallest one; there must be one.
    mutating func replaceFirst(with element: Element) {
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
    mutating func removeFirst() {
        let last = elements.removeLast()
        if !elements.isEmpty { replaceFirst(with: last) }
    }
}
