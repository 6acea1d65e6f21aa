extension Snapshot {
    /// The items of a snapshot: a collection whose copies share what is equal, so that a step costs as much in a list of 100,000
    /// items as in one of 50. `Array(snapshot.items)` makes an array.
    /// - Confinement: any
    public struct Items: RandomAccessCollection, Sendable {
        /// A piece with more items is halved.
        static var pieceMax: Int { 512 }

        private var pieces: [[Item]]
        /// The index of the first item of each piece.
        private var starts: [Int]
        public private(set) var endIndex: Int

        init(_ items: [Item] = []) {
            pieces = stride(from: 0, to: items.count, by: Self.pieceMax / 2).map { start in
                Array(items[start..<Swift.min(start + Self.pieceMax / 2, items.count)])
            }
            (starts, endIndex) = ([], 0)
            count(from: 0)
        }

        public var startIndex: Int { 0 }

        public subscript(index: Int) -> Item {
            let piece = piece(at: index)
            return pieces[piece][index - starts[piece]]
        }

        /// The piece with an index; for the end the last one.
        private func piece(at index: Int) -> Int {
            var (from, to) = (0, pieces.count)
            while to - from > 1 {
                let middle = (from + to) / 2
                if starts[middle] <= index { from = middle } else { to = middle }
            }
            return from
        }

        private mutating func count(from piece: Int) {
            starts.removeSubrange(piece...)
            var start = piece == 0 ? 0 : starts[piece - 1] + pieces[piece - 1].count
            for piece in pieces[piece...] {
                starts.append(start)
                start += piece.count
            }
            endIndex = start
        }

        mutating func replace(_ item: Item, at index: Int) {
            let piece = piece(at: index)
            pieces[piece][index - starts[piece]] = item
        }

        mutating func insert(_ item: Item, at index: Int) {
            guard !pieces.isEmpty else { return self = Self([item]) }
            let piece = piece(at: index)
            pieces[piece].insert(item, at: index - starts[piece])
            if pieces[piece].count > Self.pieceMax {
                pieces.insert(Array(pieces[piece][(Self.pieceMax / 2)...]), at: piece + 1)
                pieces[piece].removeSubrange((Self.pieceMax / 2)...)
            }
            count(from: piece)
        }

        @discardableResult
        mutating func remove(at index: Int) -> Item {
            let piece = piece(at: index)
            let item = pieces[piece].remove(at: index - starts[piece])
            if pieces[piece].isEmpty { pieces.remove(at: piece) }
            count(from: piece)
            return item
        }
    }
}

extension Snapshot.Items: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.count == other.count && one.elementsEqual(other) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for item in self { hasher.combine(item) }
    }
}

extension Snapshot.Items: CustomStringConvertible {
    public var description: String { "\(Array(self))" }
}
